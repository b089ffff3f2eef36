//! Words that ask for a secret: what nobody should type into a chat, in nine languages (`data/language/secrets.txt`).
//!
//! They are found however they are written: in any case, with accents or without, with the letters of other scripts or
//! figures that look the same, spelled out, put together or apart, as names of fields are. Whoever words a question
//! otherwise is not found: no list holds every way to ask.

use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization as _;
use unicode_security::skeleton;

use brain_core::core::text::is_hidden;

/// A word with no more letters is none of a longer text's.
const SHORT_LETTERS: usize = 4;

static SECRETS: LazyLock<Vec<SecretWord>> = LazyLock::new(|| {
    let rows = include_str!("../../../../../data/language/secrets.txt").lines().filter(|row| !row.starts_with('#'));
    let words = rows.filter_map(|row| row.split_once(':')).flat_map(|(_, words)| words.split(','));
    words.map(SecretWord::of).collect()
});

/// A row's word or phrase.
#[derive(Debug)]
struct SecretWord {
    /// As [`folded`] writes it, without spaces.
    letters: String,
    is_short: bool,
    /// It may be the end of a longer word, or the beginning.
    ends_one: bool,
    begins_one: bool,
}

impl SecretWord {
    fn of(written: &str) -> Self {
        let written = written.trim();
        let (ends_one, begins_one) = (written.starts_with('*'), written.ends_with('*'));
        let is_short = written.chars().filter(|c| c.is_alphanumeric()).count() <= SHORT_LETTERS;
        Self { letters: folded(written).concat(), is_short, ends_one, begins_one }
    }

    /// Whether these words begin with it.
    fn begins(&self, words: &[String]) -> bool {
        let Some((first, rest)) = words.split_first() else { return false };
        if self.is_short {
            return *first == self.letters || self.is_spelled(words);
        }
        let starts = if self.ends_one { first.len() } else { 1 };
        (0..starts).filter(|at| first.is_char_boundary(*at)).any(|at| self.is_behind(&first[at..], rest))
    }

    /// Whether it stands here, to the end of a word unless more may follow.
    fn is_behind(&self, first: &str, rest: &[String]) -> bool {
        let mut left = self.letters.as_str();
        for word in std::iter::once(first).chain(rest.iter().map(String::as_str)) {
            match left.strip_prefix(word) {
                Some("") => return true,
                Some(after) => left = after,
                None => return self.begins_one && word.starts_with(left),
            }
        }
        false
    }

    /// Letter by letter.
    fn is_spelled(&self, words: &[String]) -> bool {
        let mut letters = self.letters.chars();
        let mut words = words.iter();
        letters.all(|letter| words.next().is_some_and(|word| word.chars().eq([letter])))
    }
}

/// Whether words ask for a secret.
pub(super) fn ask_for_a_secret(words: &str) -> bool {
    let words = folded(words);
    (0..words.len()).any(|at| SECRETS.iter().any(|secret| secret.begins(&words[at..])))
}

/// The words of a text as they look: without accents, in one alphabet as far as letters look alike, in small letters.
fn folded(text: &str) -> Vec<String> {
    let mut plain = String::with_capacity(text.len());
    let mut was_small = false;
    for c in text.chars().filter(|c| !is_hidden(*c)) {
        // `cardNumber`, as fields are called.
        if was_small && c.is_uppercase() {
            plain.push(' ');
        }
        was_small = c.is_lowercase();
        plain.push(c);
    }
    let plain: String = plain.nfkd().flat_map(char::to_lowercase).map(seen_as).collect();
    let drawn: String = skeleton(&plain).flat_map(char::to_lowercase).nfkd().map(seen_as).collect();
    let is_accent = unicode_normalization::char::is_combining_mark;
    let letters: String = drawn.chars().filter(|c| !is_accent(*c)).collect();
    letters.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Figures and signs that are written for letters, and letters that are drawn alike in some font.
fn seen_as(c: char) -> char {
    match c {
        '@' | '4' => 'a',
        '$' | '5' => 's',
        '3' | '€' => 'e',
        '0' => 'o',
        '7' => 't',
        '1' | 'ı' => 'i',
        'ł' => 'l',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_found_in_nine_languages_however_it_is_written() {
        for asked in [
            "password",
            "Your PASSWORD, please",
            "pass word",
            "pass-word",
            "p a s s w o r d",
            "P.A.S.S.W.O.R.D",
            "p_a_s_s_w_o_r_d",
            "userPassword",
            "new_password",
            "Passwords",
            "p4ssw0rd",
            "pa$$word",
            "pаsswоrd",
            "ｐａｓｓｗｏｒｄ",
            "pass\u{200b}word",
            "pässwörd",
            "PIN",
            "P I N",
            "pin-code",
            "TAN",
            "t.a.n",
            "SMS-TAN",
            "OTP",
            "one-time code",
            "Enter the verification code",
            "card number and CVV",
            "cardNumber",
            "card_number",
            "cvc",
            "C V V",
            "credit card",
            "API key",
            "apiKey",
            "access_token",
            "Recovery phrase",
            "Passwort",
            "Ihr Kennwort",
            "Einmalpasswort",
            "Passwörter",
            "Geheimzahl",
            "Kreditkartennummer",
            "Kredit Karten Nummer",
            "Bestätigungscode",
            "pushTAN",
            "Zugangsdaten",
            "mot de passe",
            "MOT-DE-PASSE",
            "code d’accès",
            "numéro de carte",
            "clé privée",
            "contraseña",
            "contrasena",
            "código de verificación",
            "tarjeta de crédito",
            "codice di sicurezza",
            "carta di credito",
            "parola d'ordine",
            "senha",
            "palavra-passe",
            "cartão de crédito",
            "wachtwoord",
            "inlogwachtwoord",
            "pincode",
            "hasło",
            "numer karty",
            "kod weryfikacyjny",
            "пароль",
            "Ваш ПАРОЛЬ",
            "п а р о л ь",
            "номер карты",
            "код из смс",
            "ПИН-код",
        ] {
            assert!(ask_for_a_secret(asked), "{asked}: {:?}", folded(asked));
        }
    }

    #[test]
    fn what_only_sounds_like_one_is_asked() {
        for asked in [
            "",
            "name",
            "Who are you?",
            "Your wishes?",
            "colour",
            "language code",
            "postal code",
            "Country code",
            "tank",
            "spin",
            "pinned",
            "Pinboard",
            "in a tank",
            "step in",
            "titanium",
            "room number",
            "Which card shall be moved?",
            "number of cards",
            "keyword",
            "key",
            "secretary",
            "token count",
            "a short code snippet",
            "happiness",
            "opinion",
            "option",
            "business card",
            "Postkarte",
            "Kartenspiel",
            "Plan",
            "die Tanne",
            "Nummer des Zimmers",
            "carte postale",
            "la clave del problema",
            "nome",
            "kod pocztowy",
            "номер комнаты",
            "It can't answer",
            "What to do with it",
            "level",
            "Passenger name",
            "Amount in PLN",
            "passport",
            "compass",
            "word",
            "How many words?",
        ] {
            assert!(!ask_for_a_secret(asked), "{asked}: {:?}", folded(asked));
        }
    }

    #[test]
    fn a_long_text_is_looked_through_in_its_time() {
        for piece in ["p a s s w o r ", "a ", "pas", "\u{200b}", "é", "рa"] {
            ask_for_a_secret(&piece.repeat(16 * 1024 / piece.len()));
        }
    }
}
