//! Whether what a person reports as done is what something was called while it was to be done.
//!
//! Its words are those of the thing, and a verb; what it was called may have another form of both, or no verb at all.
//! Invariant: nothing fits clearly whose words are not all in the name, nor a name of several errands of which only one
//! is told.

use std::collections::HashSet;

use crate::services::contract::capabilities::ReportFit;
use crate::services::helpers::search::WordQuery;
use brain_language::language::requests::{ReportKind, StateReport};
use brain_language::language::terms;

/// What joins several errands in one name.
const JOINTS: [&str; 6] = [" and ", " und ", " & ", ", ", "; ", " + "];

/// How well a report fits a name, if it does.
pub(in crate::services) fn fit(name: &str, report: &StateReport) -> Option<ReportFit> {
    let named = telling(name);
    let what = telling(&report.what);
    if what.is_empty() {
        return None;
    }
    let mut slips = 0;
    let told: HashSet<&String> = named
        .iter()
        .filter(|stem| {
            let is_slip = !what.contains(*stem) && is_alike(stem, &what);
            slips += usize::from(is_slip);
            is_slip || what.contains(*stem)
        })
        .collect();
    let all_stems = terms::stems(&terms::fold(name));
    let verb = report.verbs.iter().map(|verb| terms::stems(&terms::fold(verb))).find(|verb| {
        // A verb with a particle has to be in the name with both.
        verb.iter().all(|stem| all_stems.contains(stem))
    });
    let rest = named.iter().filter(|stem| !told.contains(stem) && !verb.iter().flatten().any(|one| one == *stem));
    let rest = rest.count();
    let says_all = told.len() >= what.len();
    let is_most = told.len() * 2 >= named.len();
    let is_joined = rest > 0 && JOINTS.iter().any(|joint| name.contains(joint));
    let is_named = match report.kind {
        ReportKind::Order | ReportKind::Reopen => true,
        ReportKind::State => verb.is_some(),
        ReportKind::Told => rest == 0 || verb.is_some() || report.verbs.is_empty() && is_most,
    };
    if told.is_empty() {
        return None;
    }
    if says_all && slips == 0 && is_named && !is_joined {
        return Some(ReportFit::Clear);
    }
    let is_near = says_all && (is_most || is_named) || verb.is_some() && told.len() * 2 >= what.len();
    is_near.then_some(ReportFit::Perhaps)
}

fn telling(text: &str) -> HashSet<String> {
    WordQuery::new(text).words().map(|word| terms::stem(word)).collect()
}

fn is_alike(stem: &str, all: &HashSet<String>) -> bool {
    !terms::matching(stem, all.iter().map(String::as_str)).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_fits_what_was_called_so() {
        let clear = Some(ReportFit::Clear);
        let perhaps = Some(ReportFit::Perhaps);
        for (what, verbs, name, expected) in [
            ("bins", "put out, take out", "Put the bins out", clear),
            ("bins", "put out, take out", "Bins", clear),
            ("bins", "put out", "Buy new bins", None),
            ("bins", "put out", "Buy bins", perhaps),
            ("rent", "pay, settle", "Pay the rent", clear),
            ("rent", "pay", "Pay the rent for January", clear),
            ("dentist", "book, reserve", "Call the dentist", perhaps),
            ("mom", "call, ring", "Call mom", clear),
            ("mom", "call, ring", "Buy a card for mom and dad", None),
            ("eggs", "buy, get", "Eggs", clear),
            ("eggs", "buy, get", "Get eggs and milk", perhaps),
            ("eggz", "buy, get", "Eggs", perhaps),
            ("milk", "buy, get", "Oat milk", perhaps),
            ("lease", "sign", "Sign the lease and bring Gérard his copy", perhaps),
            ("report", "", "Report", clear),
            ("report", "", "Send the Q3 report to Priya", None),
            ("job", "get", "Get eggs", None),
            ("rent for january", "pay", "Pay the rent", perhaps),
            ("Miete", "zahlen", "Miete zahlen", clear),
        ] {
            let verbs = verbs.split(", ").filter(|verb| !verb.is_empty()).map(str::to_owned).collect();
            let report = StateReport { what: what.to_owned(), verbs, kind: ReportKind::Told, beside: None };
            assert_eq!(fit(name, &report), expected, "{what} {name}");
        }
    }

    #[test]
    fn how_a_thing_is_fits_only_what_was_to_be_made_so() {
        let state = |what: &str| StateReport {
            what: what.to_owned(),
            verbs: vec!["put out".to_owned(), "turn off".to_owned()],
            kind: ReportKind::State,
            beside: None,
        };
        assert_eq!(fit("Put the bins out", &state("bins")), Some(ReportFit::Clear));
        assert_eq!(fit("Milk", &state("milk")), Some(ReportFit::Perhaps));
    }

    #[test]
    fn an_order_needs_no_verb() {
        let order =
            StateReport { what: "paprika".to_owned(), verbs: Vec::new(), kind: ReportKind::Order, beside: None };
        assert_eq!(fit("Smoked paprika for the stew", &order), Some(ReportFit::Clear));
        assert_eq!(fit("Salt", &order), None);
    }
}
