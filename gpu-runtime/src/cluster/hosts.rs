//! Lists of hosts in SLURM's short form.

/// The first host of a list such as `gpu[07-09,12],login`.
pub(super) fn first_host(list: &str) -> Option<String> {
    let mut host = String::new();
    let mut rest = list;
    loop {
        let end = rest.find(['[', ',']).unwrap_or(rest.len());
        host += &rest[..end];
        let Some(numbers) = rest[end..].strip_prefix('[') else { break };
        let (numbers, behind) = numbers.split_once(']')?;
        host += numbers.split([',', '-']).next()?;
        rest = behind;
    }
    (!host.is_empty()).then_some(host)
}

#[cfg(test)]
mod tests {
    use super::first_host;

    #[test]
    fn the_first_host_keeps_its_leading_zeros_and_what_follows_the_number() {
        let rows = [
            ("gpu[07-09,12],login", "gpu07"),
            ("node1,node2", "node1"),
            ("node1", "node1"),
            ("rack[1-2]n[003,005]", "rack1n003"),
            ("a[5]-ib,b", "a5-ib"),
        ];
        for (list, host) in rows {
            assert_eq!(first_host(list).as_deref(), Some(host), "{list}");
        }
        assert_eq!(first_host(""), None);
        assert_eq!(first_host("a[1"), None);
    }
}
