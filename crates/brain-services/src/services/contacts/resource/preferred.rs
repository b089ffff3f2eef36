//! Which address mail goes to: PREF of version 4.0, `TYPE=PREF` of 3.0, a bare PREF of 2.1.

use super::card::{CardLine, CardText};
use super::encoded::{CardVersion, params, with_param, with_params};

/// Where the address that is preferred most is among the lines; `None`: none is marked.
pub(super) fn preferred(lines: &[CardLine]) -> Option<usize> {
    let marked = lines.iter().enumerate().filter(|(_, line)| line.is_there("EMAIL") && line.only().is_some());
    let ranked = marked.filter_map(|(at, line)| Some((rank(&line.head)?, at)));
    ranked.min_by_key(|(rank, _)| *rank).map(|(_, at)| at)
}

impl CardText {
    /// Moves the mark to this address; `None`: no address has one.
    pub(super) fn prefer(&mut self, address: Option<&str>) {
        let says = |line: &CardLine| line.is_there("EMAIL") && line.only().map(str::to_lowercase).as_deref() == address;
        let target = address.and_then(|_| self.lines.iter().position(says));
        if address.is_some() && (target.is_none() || target == preferred(&self.lines)) {
            return;
        }
        let own = target.and_then(|at| rank(&self.lines[at].head)).filter(|rank| *rank > 1);
        let mut mark = None;
        for (_, line) in
            self.lines.iter_mut().enumerate().filter(|(at, line)| Some(*at) != target && line.is_there("EMAIL"))
        {
            let Some(rank) = rank(&line.head).filter(|rank| *rank <= 1 || address.is_none()) else { continue };
            let (head, was) = without_mark(&line.head);
            line.head = own.map_or(head.clone(), |own| with_param(&head, &format!("PREF={own}")));
            line.change();
            mark = mark.or(was.filter(|_| rank == 1));
        }
        if let Some(at) = target {
            let (head, _) = without_mark(&self.lines[at].head);
            let mark = mark.unwrap_or_else(|| own_mark(self.version).to_owned());
            self.lines[at].head = with_param(&head, &mark);
            self.lines[at].change();
        }
    }
}

fn own_mark(version: CardVersion) -> &'static str {
    match version {
        CardVersion::V2 => "PREF",
        CardVersion::V3 => "TYPE=PREF",
        CardVersion::V4 => "PREF=1",
    }
}

/// 1 for what is preferred most; `None`: not marked.
pub(super) fn rank(head: &str) -> Option<u32> {
    let rank = |param: &str| match param.split_once('=') {
        None => is_pref(param).then_some(1),
        Some((name, value)) if is_pref(name) => value.trim().trim_matches('"').parse().ok(),
        Some((name, types)) => (is_type(name) && types.trim().trim_matches('"').split(',').any(is_pref)).then_some(1),
    };
    params(head).into_iter().filter_map(rank).min()
}

/// The head without its mark, and the parameter that was nothing else.
fn without_mark(head: &str) -> (String, Option<String>) {
    let (mut kept, mut mark) = (Vec::new(), None);
    for param in params(head) {
        match param.split_once('=') {
            None if is_pref(param) => mark = Some(param.to_owned()),
            Some((name, _)) if is_pref(name) => mark = Some(param.to_owned()),
            Some((name, types)) if is_type(name) => {
                let quote = if types.trim().starts_with('"') { "\"" } else { "" };
                let all: Vec<&str> = types.trim().trim_matches('"').split(',').collect();
                let others: Vec<&str> = all.iter().copied().filter(|one| !is_pref(one)).collect();
                if others.len() == all.len() {
                    kept.push(param.to_owned());
                } else if others.is_empty() {
                    mark = Some(param.to_owned());
                } else {
                    kept.push(format!("{name}={quote}{}{quote}", others.join(",")));
                }
            }
            None | Some(_) => kept.push(param.to_owned()),
        }
    }
    (with_params(head, &kept), mark)
}

fn is_pref(word: &str) -> bool {
    word.trim().eq_ignore_ascii_case("PREF")
}

fn is_type(name: &str) -> bool {
    name.trim().eq_ignore_ascii_case("TYPE")
}
