//! Claims: which words say that something was done. Two lexicons: one for any words about a turn that did nothing, and one
//! for what a model says of itself that has seen what was done.

use brain_language::language::says::{opens, says};

const DEEDS: &[&str] = &[
    "sent",
    "added",
    "created",
    "deleted",
    "removed",
    "canceled",
    "cancelled",
    "scheduled",
    "booked",
    "moved",
    "updated",
    "saved",
    "set",
    "forwarded",
    "replied",
    "completed",
    "marked",
];
const OPENINGS: &[&str] = &["done", "all set", "all done", "consider it done"];

/// Whether words say in the first person that something was done just now.
pub(super) fn claims_own_deed(text: &str) -> bool {
    const DOERS: &[&str] = &["i've", "i have", "we've", "we have", "i just", "it's", "that's"];
    says(text, &[(DOERS, 0), (DEEDS, 2)]) || text.split(['.', '!', '?', '\n']).any(|sentence| opens(sentence, OPENINGS))
}

/// Whether words claim a past action: a small lexicon, in several languages.
pub fn claims_a_change(text: &str) -> bool {
    const DOERS: &[&str] = &[
        "i",
        "i've",
        "i have",
        "we",
        "we've",
        "we have",
        "it",
        "it's",
        "it is",
        "it has been",
        "all",
        "that",
        "that's",
        "that is",
        "that has been",
        "email",
        "mail",
        "event",
        "task",
        "reminder",
        "message",
        "meeting",
        "note",
        "draft",
    ];
    /// A sentence may leave out who did it; "set" would be an order there.
    const IMPERATIVES: &[&str] = &["set"];
    const WORDS: &[&str] = &[
        "i'll remind you",
        "i will remind you",
        "erledigt",
        "gesendet",
        "verschickt",
        "gelöscht",
        "hinzugefügt",
        "eingetragen",
        "gespeichert",
        "verschoben",
        "hecho",
        "enviado",
        "enviada",
        "añadido",
        "borrado",
        "eliminado",
        "guardado",
        "agendado",
        "feito",
        "adicionado",
        "salvo",
        "apagado",
        "envoyé",
        "ajouté",
        "supprimé",
        "enregistré",
        "planifié",
        "fatto",
        "inviato",
        "inviata",
        "aggiunto",
        "eliminato",
        "salvato",
        "tamam",
        "tamamlandı",
        "gönderildi",
        "eklendi",
        "silindi",
        "kaydedildi",
        "terkirim",
        "ditambahkan",
        "dihapus",
        "disimpan",
        "selesai",
    ];
    /// With any ending.
    const STEMS: &[&str] = &[
        "готово",
        "сделано",
        "отправлен",
        "отправил",
        "добавлен",
        "добавил",
        "удалён",
        "удален",
        "удалил",
        "создан",
        "создал",
        "сохранен",
        "надіслано",
        "додано",
        "видалено",
        "зроблено",
        "تم ",
        "أرسلت",
        "أضفت",
        "حذفت",
        "انجام شد",
        "فرستادم",
        "ارسال شد",
        "حذف شد",
        "भेज दिया",
        "हो गया",
        "जोड़ दिया",
        "हटा दिया",
    ];
    let lower = text.to_lowercase();
    says(text, &[(DOERS, 0), (DEEDS, 40)])
        || text
            .split(['.', '!', '?', '\n'])
            .any(|sentence| opens(sentence, OPENINGS) || opens(sentence, DEEDS) && !opens(sentence, IMPERATIVES))
        || says(text, &[(WORDS, 0)])
        || STEMS.iter().any(|stem| lower.contains(stem))
}
