//! Time zones as people name them: by city, by country where one zone covers it, by IANA name.
//!
//! Invariant: a name that could mean two zones means none; it is suggested instead. Not here: zones beside a clock
//! time, which belong to [`super::time`].

use chrono_tz::{TZ_VARIANTS, Tz};

use super::words::{distance, fold};

/// What a name comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// This zone.
    Zone(Tz),
    /// None for sure; perhaps one of these, best first.
    Perhaps(Vec<Tz>),
}

/// Suggestions for a name that is unknown.
const SUGGESTIONS: usize = 3;

/// Regions whose zones are named after cities; the rest of the names are older ones for the same zones.
const REGIONS: [&str; 10] =
    ["Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific"];

/// Cities that gave no zone their name, countries with one zone, and what people call zones themselves.
const KNOWN_AS: &[(&str, &str)] = &[
    (
        "Europe/London",
        "england|scotland|wales|uk|united kingdom|great britain|britain|manchester|birmingham|edinburgh|glasgow|bristol|leeds|liverpool|cardiff|bst",
    ),
    ("Europe/Dublin", "ireland|cork|galway"),
    ("Europe/Lisbon", "porto|lisboa"),
    ("Europe/Madrid", "barcelona|valencia|sevilla|seville|malaga|bilbao|zaragoza"),
    ("Europe/Paris", "france|lyon|marseille|toulouse|bordeaux|nantes|strasbourg|lille"),
    ("Europe/Brussels", "belgium|belgien|antwerp|ghent|bruges|bruxelles|brussel"),
    ("Europe/Amsterdam", "netherlands|the netherlands|holland|rotterdam|the hague|den haag|utrecht|eindhoven"),
    (
        "Europe/Berlin",
        "germany|deutschland|munich|munchen|hamburg|cologne|koln|frankfurt|stuttgart|dusseldorf|leipzig|dresden|hannover|hanover|nuremberg|nurnberg|bremen|dortmund|bonn|cest",
    ),
    ("Europe/Zurich", "switzerland|schweiz|suisse|geneva|geneve|genf|basel|bern|lausanne|lucerne"),
    ("Europe/Vienna", "austria|osterreich|wien|graz|salzburg|linz|innsbruck"),
    (
        "Europe/Rome",
        "italy|italia|milan|milano|naples|napoli|turin|torino|florence|firenze|venice|venezia|bologna|genoa|palermo|roma",
    ),
    ("Europe/Copenhagen", "denmark|aarhus|kobenhavn"),
    ("Europe/Oslo", "norway|bergen|trondheim"),
    ("Europe/Stockholm", "sweden|gothenburg|goteborg|malmo|uppsala"),
    ("Europe/Helsinki", "finland|tampere|turku|espoo"),
    ("Europe/Tallinn", "estonia|tartu"),
    ("Europe/Riga", "latvia"),
    ("Europe/Vilnius", "lithuania|kaunas"),
    ("Europe/Warsaw", "krakow|cracow|gdansk|wroclaw|poznan|lodz|warszawa"),
    ("Europe/Prague", "czechia|czech republic|brno|praha"),
    ("Europe/Bratislava", "slovakia"),
    ("Europe/Budapest", "hungary"),
    ("Europe/Bucharest", "romania|cluj|cluj-napoca|iasi|timisoara"),
    ("Europe/Sofia", "bulgaria|plovdiv|varna"),
    ("Europe/Belgrade", "serbia|novi sad"),
    ("Europe/Zagreb", "croatia|dubrovnik"),
    ("Europe/Ljubljana", "slovenia"),
    ("Europe/Athens", "greece|thessaloniki"),
    ("Europe/Istanbul", "ankara|izmir|antalya|turkiye"),
    ("Europe/Kyiv", "ukraine|lviv|odesa|odessa|kharkiv|dnipro"),
    ("Europe/Moscow", "st petersburg|saint petersburg|st. petersburg"),
    ("Atlantic/Reykjavik", "iceland"),
    (
        "America/New_York",
        "new york city|nyc|boston|washington|washington dc|washington d.c.|miami|atlanta|philadelphia|pittsburgh|baltimore|orlando|charlotte|brooklyn|eastern|eastern time|est|edt|et",
    ),
    (
        "America/Chicago",
        "houston|dallas|austin|san antonio|minneapolis|new orleans|nashville|st louis|kansas city|milwaukee|central time|cst|cdt",
    ),
    ("America/Denver", "salt lake city|albuquerque|colorado|mountain time|mst|mdt"),
    (
        "America/Los_Angeles",
        "la|san francisco|sf|seattle|san diego|san jose|oakland|las vegas|portland|sacramento|california|pacific|pacific time|pst|pdt|pt",
    ),
    ("Pacific/Honolulu", "hawaii"),
    ("America/Toronto", "ottawa|montreal|quebec"),
    ("America/Edmonton", "calgary"),
    ("America/Mexico_City", "mexico|guadalajara|cdmx"),
    ("America/Sao_Paulo", "rio|rio de janeiro|brasilia|curitiba|belo horizonte"),
    ("America/Argentina/Buenos_Aires", "argentina"),
    ("America/Bogota", "colombia|medellin"),
    ("America/Lima", "peru"),
    ("America/Caracas", "venezuela"),
    ("Africa/Cairo", "alexandria"),
    ("Africa/Johannesburg", "south africa|cape town|pretoria|durban"),
    ("Africa/Lagos", "nigeria|abuja"),
    ("Africa/Nairobi", "kenya"),
    ("Africa/Casablanca", "morocco|marrakesh|marrakech|rabat"),
    ("Asia/Jerusalem", "tel aviv|haifa"),
    ("Asia/Dubai", "uae|abu dhabi|united arab emirates"),
    ("Asia/Riyadh", "saudi arabia|jeddah"),
    ("Asia/Qatar", "doha"),
    ("Asia/Karachi", "pakistan|lahore|islamabad"),
    ("Asia/Kolkata", "india|mumbai|bombay|delhi|new delhi|bangalore|bengaluru|chennai|hyderabad|pune|ist"),
    ("Asia/Dhaka", "bangladesh"),
    ("Asia/Bangkok", "thailand|chiang mai|phuket"),
    ("Asia/Ho_Chi_Minh", "vietnam|hanoi|saigon|ho chi minh city|da nang"),
    ("Asia/Jakarta", "bandung"),
    ("Asia/Makassar", "bali|denpasar"),
    ("Asia/Manila", "philippines|cebu"),
    ("Asia/Kuala_Lumpur", "malaysia|penang"),
    ("Asia/Shanghai", "china|beijing|shenzhen|guangzhou|hangzhou|chengdu"),
    ("Asia/Taipei", "taiwan"),
    ("Asia/Seoul", "korea|south korea|busan|kst"),
    ("Asia/Tokyo", "osaka|kyoto|nagoya|sapporo|fukuoka|yokohama|jst"),
    ("Australia/Sydney", "canberra|wollongong"),
    ("Pacific/Auckland", "new zealand|wellington|christchurch"),
];

/// The zone a name means.
pub fn zone_of(name: &str) -> Place {
    let name = fold(name.trim().trim_end_matches(['.', '!', '?']).trim());
    if name.is_empty() {
        return Place::Perhaps(Vec::new());
    }
    let known = KNOWN_AS.iter().find(|(_, names)| names.split('|').any(|known| known == name));
    if let Some(zone) = known.and_then(|(zone, _)| zone.parse().ok()) {
        return Place::Zone(zone);
    }
    let full = name.replace(' ', "_");
    if let Some(zone) = TZ_VARIANTS.into_iter().find(|zone| zone.name().eq_ignore_ascii_case(&full)) {
        return Place::Zone(zone);
    }
    let of_city: Vec<Tz> = cities().filter(|(city, _)| *city == name).map(|(_, zone)| zone).collect();
    match of_city.as_slice() {
        [] => Place::Perhaps(similar(&name)),
        [first, rest @ ..] if rest.iter().all(|zone| alike(*zone, *first)) => Place::Zone(*first),
        several => Place::Perhaps(several.to_vec()),
    }
}

/// The city a zone is named after, with spaces.
pub fn city(zone: Tz) -> String {
    zone.name().rsplit('/').next().unwrap_or(zone.name()).replace('_', " ")
}

fn cities() -> impl Iterator<Item = (String, Tz)> {
    let named = |zone: &Tz| zone.name().split_once('/').is_some_and(|(region, _)| REGIONS.contains(&region));
    TZ_VARIANTS.into_iter().filter(named).map(|zone| (fold(&city(zone)), zone))
}

/// Two names of one place: the old and the new one of a region.
fn alike(a: Tz, b: Tz) -> bool {
    a.name().split('/').next() == b.name().split('/').next()
}

/// Zones whose city begins like the name, or is it but for a slip of the finger.
fn similar(name: &str) -> Vec<Tz> {
    let slips = if name.chars().count() > 5 { 2 } else { 1 };
    let near = |city: &str| match distance(city, name, slips) {
        // People rarely miss the first letter; two slips and another beginning are another word.
        Some(edits) if edits < 2 || city.chars().next() == name.chars().next() => Some(edits),
        Some(_) => None,
        None if name.chars().count() >= 3 && city.starts_with(name) => Some(slips + 1),
        None => None,
    };
    let aliases = KNOWN_AS.iter().flat_map(|(zone, names)| {
        let zone = zone.parse::<Tz>().ok();
        names.split('|').filter(|name| name.len() > 3).filter_map(move |name| Some((name.to_owned(), zone?)))
    });
    let mut found: Vec<(usize, Tz)> =
        cities().chain(aliases).filter_map(|(city, zone)| Some((near(&city)?, zone))).collect();
    found.sort_by_key(|(edits, zone)| (*edits, zone.name()));
    let mut zones: Vec<Tz> = Vec::new();
    for (_, zone) in found {
        if !zones.contains(&zone) {
            zones.push(zone);
        }
    }
    zones.truncate(SUGGESTIONS);
    zones
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_name_zones_by_city_country_and_iana_name() {
        for (name, zone) in [
            ("Europe/Paris", "Europe/Paris"),
            ("europe/paris", "Europe/Paris"),
            ("Paris", "Europe/Paris"),
            ("  lisbon. ", "Europe/Lisbon"),
            ("São Paulo", "America/Sao_Paulo"),
            ("new york", "America/New_York"),
            ("San Francisco", "America/Los_Angeles"),
            ("München", "Europe/Berlin"),
            ("Japan", "Japan"),
            ("Tokyo", "Asia/Tokyo"),
            ("EST", "America/New_York"),
            ("utc", "UTC"),
            ("Kyiv", "Europe/Kyiv"),
            ("Mumbai", "Asia/Kolkata"),
            ("America/Argentina/Buenos_Aires", "America/Argentina/Buenos_Aires"),
            ("Buenos Aires", "America/Argentina/Buenos_Aires"),
        ] {
            let Place::Zone(found) = zone_of(name) else { panic!("{name}: {:?}", zone_of(name)) };
            let same =
                found.name() == zone || (zone == "America/Argentina/Buenos_Aires" && city(found) == "Buenos Aires");
            assert!(same, "{name}: {found}");
        }
    }

    #[test]
    fn an_unknown_name_gets_suggestions_and_never_a_guess() {
        for (name, among) in [("Lisbonn", "Europe/Lisbon"), ("Toky", "Asia/Tokyo"), ("Munch", "Europe/Berlin")] {
            let Place::Perhaps(found) = zone_of(name) else { panic!("{name}") };
            assert!(found.iter().any(|zone| zone.name() == among), "{name}: {found:?}");
        }
        for name in ["", "Narnia", "the moon", "12345"] {
            assert_eq!(zone_of(name), Place::Perhaps(Vec::new()), "{name}");
        }
    }

    #[test]
    fn every_zone_that_is_named_here_exists() {
        for (zone, _) in KNOWN_AS {
            assert!(zone.parse::<Tz>().is_ok(), "{zone}");
        }
    }
}
