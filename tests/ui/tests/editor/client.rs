//! A small client of the language server protocol.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// A server that never answers is a failure, not a test that hangs.
const PATIENCE: Duration = Duration::from_secs(600);

/// `ContentModified`: the server was interrupted by a change, and asks for the request again.
const INTERRUPTED: i64 = -32801;

pub(crate) struct Client {
    server: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    requests: u64,
    version: u64,
}

impl Client {
    /// Starts `program` on the package in `root`. What the package needs built is in the file `built`, as cargo says it.
    pub(crate) fn start(program: &str, root: &Path, built: &Path) -> Client {
        let mut server = Command::new(program)
            .current_dir(root)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("rust-analyzer starts");
        let (sender, messages) = channel();
        let mut output = BufReader::new(server.stdout.take().expect("a pipe"));
        std::thread::spawn(move || {
            while let Some(message) = read(&mut output) {
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        let input = server.stdin.take().expect("a pipe");
        let mut client = Client { server, input, messages, requests: 0, version: 0 };
        client.request(
            "initialize",
            &json!({
                "processId": null,
                "rootUri": uri(root),
                "capabilities": {
                    "experimental": { "serverStatusNotification": true },
                    "textDocument": { "definition": { "linkSupport": false } },
                },
                "initializationOptions": {
                    "checkOnSave": false,
                    "cachePriming": { "enable": false },
                    "cargo": { "buildScripts": { "overrideCommand": ["cat", built] } },
                },
            }),
        );
        client.notify("initialized", &json!({}));
        client
    }

    /// Waits until the server has loaded the package and its macros.
    pub(crate) fn wait_until_ready(&mut self) {
        loop {
            let message = self.next();
            if message["method"] == "experimental/serverStatus" && message["params"]["quiescent"] == true {
                return;
            }
        }
    }

    /// Shows the server the text of a file, for the first time or another one.
    pub(crate) fn show(&mut self, file: &Path, text: &str) {
        self.version += 1;
        if self.version == 1 {
            let document = json!({ "uri": uri(file), "languageId": "rust", "version": 1, "text": text });
            self.notify("textDocument/didOpen", &json!({ "textDocument": document }));
        } else {
            let document = json!({ "uri": uri(file), "version": self.version });
            self.notify("textDocument/didChange", &json!({ "textDocument": document, "contentChanges": [{ "text": text }] }));
        }
    }

    /// Asks about the place `(line, column)`, from 0, of a file.
    pub(crate) fn ask(&mut self, method: &str, file: &Path, (line, column): (usize, usize)) -> Value {
        self.request(method, &json!({ "textDocument": { "uri": uri(file) }, "position": { "line": line, "character": column } }))
    }

    fn request(&mut self, method: &str, params: &Value) -> Value {
        loop {
            self.requests += 1;
            let id = self.requests;
            self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
            let mut answer = loop {
                let message = self.next();
                if message["id"] == id && message["method"].is_null() {
                    break message;
                }
            };
            match answer["error"]["code"].as_i64() {
                None => return answer["result"].take(),
                Some(INTERRUPTED) => {}
                Some(_) => panic!("{method}: {}", answer["error"]),
            }
        }
    }

    fn notify(&mut self, method: &str, params: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// The next message. What the server asks of an editor is answered with nothing.
    fn next(&mut self) -> Value {
        let message = self.messages.recv_timeout(PATIENCE).expect("the server answers");
        if !message["method"].is_null() && !message["id"].is_null() {
            self.send(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": null }));
        }
        message
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("the server listens");
        self.input.flush().expect("the server listens");
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // It holds nothing that would be lost.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// The next message; `None` after the last.
fn read(output: &mut BufReader<ChildStdout>) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end() {
            "" => break,
            header => {
                if let Some(text) = header.strip_prefix("Content-Length: ") {
                    length = text.parse().ok()?;
                }
            }
        }
    }
    let mut text = vec![0; length];
    output.read_exact(&mut text).ok()?;
    serde_json::from_slice(&text).ok()
}

fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}
