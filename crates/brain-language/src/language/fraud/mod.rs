//! Whether a letter reads like a fraud, and why: by what it asks for, by who asks, and by how.
//!
//! ```text
//! letter ─► sentences ─► classes of words ─► what is asked for ─┐
//! who wrote, answers, links ────────────────► what is odd ──────┴► weighed ─► a mark, or none
//! ```
//! Invariants: pure; a mark says why in one line and forbids nothing; no sentence is looked for, only what several
//! classes of words in one sentence, or in one letter, ask for together. Whoever was written to before is marked only
//! for what an account that was broken into would ask for. Deliberately not here: what is odd about an address itself,
//! which whoever asks knows ([`LetterFacts::is_odd`]).

mod sentences;
#[cfg(test)]
mod tests;

use sentences::{Class, SentenceClasses, is_of, sentences};

use super::words::words;

/// A letter, and what is known of it.
#[derive(Debug, Clone, Copy, Default)]
pub struct LetterFacts<'l> {
    pub subject: &'l str,
    pub text: &'l str,
    /// As its writer calls themself.
    pub name: &'l str,
    pub address: &'l str,
    /// Where answers go, if the letter says so.
    pub reply_to: Option<&'l str>,
    /// Hosts that its links lead to, beside those in its text.
    pub hosts: &'l [String],
    /// A link says another address than it leads to.
    pub is_misleading: bool,
    /// The person has written to its writer, or saved them.
    pub is_known: bool,
    /// The writer goes by the name of somebody whom the person knows at another address.
    pub is_borrowed: bool,
    /// Their address looks like another one that the person knows, or pretends to be one.
    pub is_odd: bool,
}

/// What a letter asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FraudAim {
    GiftCards,
    BankDetails,
    Code,
    Password,
    Seed,
    Extortion,
    Remote,
    Credentials,
    Fee,
    Prize,
    NewNumber,
    Emergency,
    SecretPayment,
    ThreatenedPayment,
    Profit,
    Crypto,
    Job,
    Callback,
    Unseen,
    Affection,
}

impl FraudAim {
    fn told(self) -> &'static str {
        match self {
            Self::GiftCards => "asks for gift cards",
            Self::BankDetails => "names other bank details to pay to",
            Self::Code => "asks for a code that was sent to you",
            Self::Password => "asks you for a password",
            Self::Seed => "asks for the secret words of a wallet",
            Self::Extortion => "threatens you, and wants money",
            Self::Remote => "wants to get at your computer",
            Self::Credentials => "asks you to sign in or confirm your details",
            Self::Fee => "asks for a fee",
            Self::Prize => "promises money that you did not ask for",
            Self::NewNumber => "claims a new number, and wants money",
            Self::Emergency => "asks for money in an emergency",
            Self::SecretPayment => "asks for money in haste or in secret",
            Self::ThreatenedPayment => "threatens, and asks you to pay",
            Self::Profit => "promises sure profits",
            Self::Crypto => "asks for coins that nobody can call back",
            Self::Job => "offers pay for passing on money or goods",
            Self::Callback => "wants you to call about a charge",
            Self::Unseen => "asks you to pay for what nobody shows you",
            Self::Affection => "asks for money out of affection",
        }
    }

    /// What an account that was broken into would ask for as well.
    fn is_of_anybody(self) -> bool {
        matches!(
            self,
            Self::GiftCards
                | Self::BankDetails
                | Self::Code
                | Self::Password
                | Self::Seed
                | Self::Extortion
                | Self::Remote
        )
    }
}

/// What a letter has to weigh to be marked.
const MARKED_FROM: u8 = 3;

/// What is odd about who wrote a letter and where it leads.
#[derive(Debug, Default)]
struct Oddities {
    leads_elsewhere: bool,
    answers_elsewhere: bool,
    is_disguised: bool,
    is_borrowed: bool,
    is_odd: bool,
}

impl Oddities {
    fn of(letter: &LetterFacts<'_>) -> Self {
        let own = domain_of(letter.address);
        let typed = letter.text.split(|c: char| c.is_whitespace() || "<>()[]\"'".contains(c)).filter_map(host_of);
        let mut hosts = letter.hosts.iter().map(String::as_str).chain(typed);
        let is_elsewhere = |host: &str| registered(host) != registered(own);
        let label = registered(own).split('.').next().unwrap_or_default().to_lowercase();
        let name = words(letter.name);
        let parts: Vec<&str> = label.split('-').collect();
        let is_lure = |part: &&str| is_of(part, Class::LureHost) && !name.iter().any(|word| word == part);
        let is_body = name.iter().any(|word| is_of(word, Class::Body));
        // A name that is borrowed often stands in the domain, and alone there.
        let has_brand = |brand: &String| parts.iter().any(|part| part.contains(brand.as_str()));
        let brands: Vec<&String> = name.iter().filter(|word| is_of(word, Class::Brand)).collect();
        let is_foreign = !brands.is_empty() && !brands.iter().any(|brand| has_brand(brand));
        let is_joined = parts.len() > 1
            && parts.iter().any(|part| is_of(part, Class::Brand))
            && parts.iter().any(|part| !name.iter().any(|word| word == part));
        let is_free = parts.iter().any(|part| is_of(part, Class::FreeMail));
        Self {
            leads_elsewhere: letter.is_misleading || hosts.any(is_elsewhere),
            answers_elsewhere: letter.reply_to.is_some_and(|to| is_elsewhere(domain_of(to))),
            is_disguised: parts.len() > 1 && parts.iter().any(is_lure) || is_free && is_body || is_foreign || is_joined,
            is_borrowed: letter.is_borrowed,
            is_odd: letter.is_odd,
        }
    }

    fn weight(&self) -> u8 {
        let all = [self.leads_elsewhere, self.answers_elsewhere, self.is_disguised, self.is_borrowed, self.is_odd];
        all.iter().map(|is| u8::from(*is)).sum()
    }

    /// The one that says most.
    fn told(&self, is_known: bool) -> &'static str {
        match self {
            Self { is_borrowed: true, .. } => ", under the name of somebody you know, from another address",
            Self { answers_elsewhere: true, .. } => ", and its answers go elsewhere",
            Self { leads_elsewhere: true, .. } => ", and its link leads elsewhere",
            _ if is_known => "; make sure that it is them",
            _ => ", from an address you never wrote to",
        }
    }
}

/// Why a letter reads like a fraud, in one line; `None` where it does not.
pub fn mark(letter: &LetterFacts<'_>) -> Option<String> {
    let odd = Oddities::of(letter);
    let reading = LetterReading {
        sentences: sentences(letter.subject, letter.text),
        has_figures: letter.text.split(|c: char| !c.is_ascii_digit()).any(|digits| digits.len() >= 2),
        has_percent: letter.text.contains('%'),
        has_number: has_phone_number(letter.text),
        odd: odd.weight(),
    };
    let weighed = reading.weighed();
    let is_meant = |(aim, weight): &&(FraudAim, u8)| {
        *weight >= MARKED_FROM && (!letter.is_known || letter.is_borrowed || aim.is_of_anybody())
    };
    // Of what weighs the same the first counts.
    let (aim, _) = weighed.iter().rev().filter(is_meant).max_by_key(|(aim, weight)| (*weight, aim.is_of_anybody()))?;
    Some(format!("{}{}", aim.told(), odd.told(letter.is_known)))
}

/// A letter, read.
struct LetterReading {
    sentences: Vec<SentenceClasses>,
    has_figures: bool,
    has_percent: bool,
    has_number: bool,
    odd: u8,
}

impl LetterReading {
    /// One sentence says all of these.
    fn together(&self, classes: &[Class]) -> bool {
        self.sentences.iter().any(|sentence| sentence.says(classes))
    }

    /// The same, and not as what is to be done in some case.
    fn asked(&self, classes: &[Class]) -> bool {
        self.sentences.iter().any(|sentence| sentence.says(classes) && !sentence.holds(Class::Condition))
    }

    fn says(&self, class: Class) -> bool {
        self.together(&[class])
    }

    fn holds(&self, class: Class) -> bool {
        self.sentences.iter().any(|sentence| sentence.holds(class))
    }

    /// In one sentence or in two that follow each other.
    fn near(&self, a: Class, b: Class) -> bool {
        let pairs = self.sentences.windows(2);
        let across = |pair: &[SentenceClasses]| {
            pair[0].says(&[a]) && pair[1].says(&[b]) || pair[0].says(&[b]) && pair[1].says(&[a])
        };
        self.together(&[a, b]) || pairs.into_iter().any(across)
    }

    fn pays(&self) -> bool {
        self.says(Class::Pay) || self.together(&[Class::Give, Class::Amount])
    }

    fn has_money(&self) -> bool {
        self.has_figures || self.says(Class::Amount) || self.says(Class::Fee)
    }

    /// What it may ask for, and how much speaks for it.
    fn weighed(&self) -> Vec<(FraudAim, u8)> {
        let certain = |is: bool| if is { MARKED_FROM } else { 0 };
        let mut all: Vec<(FraudAim, u8)> = vec![
            (FraudAim::GiftCards, certain(self.wants_cards())),
            (
                FraudAim::BankDetails,
                certain(self.asked(&[Class::Account, Class::Changed]) && self.says(Class::PaysOut)),
            ),
            (FraudAim::Code, certain(self.wants_code())),
            (FraudAim::Password, certain(self.wants_password())),
            (FraudAim::Seed, certain(self.asked(&[Class::Seed]) && self.says(Class::Confirm))),
            (FraudAim::Extortion, certain(self.holds(Class::Extort) && (self.says(Class::Crypto) || self.pays()))),
            (
                FraudAim::Remote,
                certain(self.says(Class::Remote) && (self.holds(Class::Infected) || self.says(Class::Give))),
            ),
            (FraudAim::Profit, certain(self.promises_profit())),
            (FraudAim::Crypto, certain(self.wants_coins())),
            (FraudAim::Job, certain(self.says(Class::Job) && self.says(Class::Handles))),
            (FraudAim::Callback, certain(self.wants_a_call())),
            (FraudAim::Unseen, certain(self.wants_pay_unseen())),
            (FraudAim::Affection, certain(self.wants_out_of_affection())),
        ];
        all.extend(self.weighed_by_degrees());
        all
    }

    fn weighed_by_degrees(&self) -> [(FraudAim, u8); 6] {
        let count = |signs: &[bool]| signs.iter().map(|is| u8::from(*is)).sum::<u8>();
        let if_so = |is: bool, weight: u8| if is { weight } else { 0 };
        let (haste, hush, threat) = (self.holds(Class::Haste), self.holds(Class::Hush), self.holds(Class::Threat));
        let (pays, returned, kin) = (self.pays(), self.says(Class::Returned), self.says(Class::Kin));
        let asks_to_confirm = self.together(&[Class::Confirm, Class::Secret]);
        let keys = self.together(&[Class::Confirm, Class::Keys]) && (threat || self.odd > 0);
        let credentials = 1 + count(&[threat, threat && haste, keys]) + self.odd;
        let is_fee = self.together(&[Class::Pay, Class::Fee])
            || pays && self.near(Class::Fee, Class::Advance)
            || self.odd > 0 && self.near(Class::Pay, Class::Fee);
        let fee = 1 + count(&[haste || threat, self.says(Class::Advance)]) + self.odd;
        let wants_details = [Class::Give, Class::Confirm].iter().any(|asks| self.together(&[*asks, Class::Secret]));
        let prize =
            1 + count(&[self.says(Class::Lure), hush, self.says(Class::Secret), wants_details, is_fee]) + self.odd;
        let number = 2 + count(&[pays, self.says(Class::Amount), kin]);
        let emergency = 1 + count(&[returned, hush, kin, self.says(Class::Love), self.has_money()]);
        let secret = 1 + 2 * u8::from(hush) + u8::from(haste) + u8::from(self.odd > 1);
        let threatened = 1 + count(&[haste]) + self.odd;
        [
            (FraudAim::Credentials, if_so(asks_to_confirm, credentials)),
            (FraudAim::Fee, if_so(is_fee, fee)),
            (FraudAim::Prize, if_so(self.says(Class::Prize), prize)),
            (FraudAim::NewNumber, if_so(self.holds(Class::Number) && (pays || returned), number)),
            (FraudAim::Emergency, if_so(self.holds(Class::Trouble) && pays, emergency)),
            match pays && self.has_money() {
                true if (hush || haste) && secret >= threatened => (FraudAim::SecretPayment, secret),
                is_asked => (FraudAim::ThreatenedPayment, if_so(is_asked && threat, threatened)),
            },
        ]
    }

    fn wants_cards(&self) -> bool {
        let is_given = self.together(&[Class::Give, Class::Codes]) || self.says(Class::Returned);
        self.near(Class::Cards, Class::Codes) && is_given
            || self.together(&[Class::Pay, Class::Cards])
            || self.near(Class::Give, Class::Cards) && self.says(Class::Returned)
    }

    fn wants_code(&self) -> bool {
        let asks = self.asked(&[Class::Give, Class::ToMe]);
        self.asked(&[Class::Give, Class::Codes, Class::ToMe]) || asks && self.near(Class::Codes, Class::Give)
    }

    fn wants_password(&self) -> bool {
        let threatens = self.holds(Class::Threat);
        self.asked(&[Class::Give, Class::Keys, Class::ToMe]) || threatens && self.asked(&[Class::Give, Class::Keys])
    }

    fn promises_profit(&self) -> bool {
        let names_some = self.says(Class::Amount) || self.has_percent;
        self.says(Class::Profit) && self.says(Class::Invests) && names_some && self.has_figures
    }

    fn wants_coins(&self) -> bool {
        let is_sent = self.together(&[Class::Pay, Class::Crypto]) || self.together(&[Class::Give, Class::Crypto]);
        self.says(Class::Crypto) && (self.says(Class::Prize) || is_sent)
    }

    fn wants_a_call(&self) -> bool {
        let is_undone = self.near(Class::CallUs, Class::Undo) && (self.odd > 0 || self.has_number);
        let is_denied = self.near(Class::CallUs, Class::Denied) && self.odd > 0;
        self.holds(Class::Charged) && (is_undone || is_denied)
    }

    fn wants_pay_unseen(&self) -> bool {
        self.holds(Class::Unseen) && self.pays() && (self.says(Class::Advance) || self.says(Class::Fee))
    }

    fn wants_out_of_affection(&self) -> bool {
        let for_what = self.says(Class::Returned) || self.holds(Class::Trouble) || self.says(Class::Crypto);
        self.says(Class::Love) && self.pays() && for_what
    }
}

fn domain_of(address: &str) -> &str {
    address.rsplit_once('@').map_or("", |(_, domain)| domain)
}

/// The host of a link.
fn host_of(word: &str) -> Option<&str> {
    let rest = word.strip_prefix("https://").or_else(|| word.strip_prefix("http://"))?;
    let host = rest.split(['/', '?', '#', ':']).next()?.trim_end_matches('.');
    (!host.is_empty()).then_some(host)
}

/// The end of a host that somebody registered: near enough, since what is compared is one letter with itself.
fn registered(host: &str) -> &str {
    let host = host.trim_end_matches('.');
    let Some((front, _)) = host.rsplit_once('.') else { return host };
    front.rfind('.').map_or(host, |at| &host[at + 1..])
}

/// Digits of a number that one could dial.
const PHONE_DIGITS_MIN: usize = 9;

fn has_phone_number(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_digit() || "+-() ".contains(c);
    text.split(|c| !is_part(c)).any(|run| run.chars().filter(char::is_ascii_digit).count() >= PHONE_DIGITS_MIN)
}
