extern "C" __global__ void dilated_conv(const float* __restrict__ input, const float* __restrict__ weights, float* __restrict__ output, int channels, int height, int width, int filters, int out_height, int out_width, int kernel, int stride, int padding, int dilation) {
    int total = filters * out_height * out_width;
    for (int index = blockIdx.x * blockDim.x + threadIdx.x; index < total; index += gridDim.x * blockDim.x) {
        int ow = index % out_width, oh = index / out_width % out_height, f = index / out_width / out_height;
        float sum = 0;
        for (int c = 0; c < channels; c++) {
            for (int kh = 0; kh < kernel; kh++) {
                int ih = oh * stride + kh * dilation - padding;
                if (ih < 0 || ih >= height) continue;
                for (int kw = 0; kw < kernel; kw++) {
                    int iw = ow * stride + kw * dilation - padding;
                    if (iw < 0 || iw >= width) continue;
                    sum += input[(c * height + ih) * width + iw] * weights[((f * channels + c) * kernel + kh) * kernel + kw];
                }
            }
        }
        output[index] = sum;
    }
}
