use super::keys::{Decides, KEYS, is_known};
use super::*;
use brain_core::limits::kept::{Kept, RETENTION};

fn parse(pairs: &[(&str, &str)]) -> Result<Config, String> {
    let env = pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    Config::parse(env, Vec::new()).map_err(|error| error.to_string())
}

#[test]
fn nothing_set_is_a_fine_configuration() {
    let config = parse(&[("PATH", "/bin")]).unwrap();
    assert!(config.telegram.is_none() && config.models.is_empty());
    assert_eq!((config.pending_ttl, config.ask_above_usd), (Duration::from_secs(86_400), 0.05));
    assert_eq!(parse(&[("BRAIN_ASK_ABOVE_USD", "0.2")]).unwrap().ask_above_usd, 0.2);
}

#[test]
fn an_unknown_or_malformed_key_fails_by_name() {
    for (key, value) in [
        ("BRAIN_TIMEZON", "UTC"),
        ("BRAIN_TIMEZONE", "Mars/Base"),
        ("BRAIN_PENDING_TTL", "soon"),
        ("BRAIN_PENDING_TTL", "5s"),
        ("BRAIN_PENDING_TTL", "é"),
        ("BRAIN_ALLOWED_USERS", "alice"),
        ("BRAIN_ADMIN_MAY_APPROVE", "maybe"),
        ("BRAIN_SKIP_ROUTER", "maybe"),
        ("BRAIN_RESPOND", "sometimes"),
        ("BRAIN_PLANNING", "twice"),
        ("BRAIN_SCHEMAS", "some"),
        ("BRAIN_LOG_FORMAT", "xml"),
        ("BRAIN_OTLP_URL", "collector"),
        ("BRAIN_ASK_ABOVE_USD", "much"),
        ("BRAIN_ASK_ABOVE_USD", "-1"),
        ("LLM_BASE_URL", "localhost"),
        ("TELEGRAM_BOT_TOKEN", "nonsense"),
        ("BRAIN_DEBOUNCE", "11s"),
        ("BRAIN_DEBOUNCE", "-5ms"),
        ("TRANSCRIBE_MODEL", "whisper-1"),
        ("EMBEDDINGS_MODEL", "some"),
        ("LLM_MODEL", "small"),
        ("LLM_TIMEOUT", "0s"),
        ("LLM_TIMEOUT", "2h"),
        ("LLM_TIMEOUT_PLAN", "slow"),
    ] {
        let error = parse(&[(key, value)]).unwrap_err();
        assert!(error.contains(key), "{key}: {error}");
    }
}

#[test]
fn what_is_kept_how_long_can_be_set_and_never_to_less_than_is_needed() {
    let config = parse(&[("BRAIN_KEEP_TRACES", "14d"), ("BRAIN_KEEP_INBOX", "25h")]).unwrap();
    assert_eq!(config.keep.secs(Kept::Traces), 14 * 86_400);
    assert_eq!(config.keep.secs(Kept::Inbox), 25 * 3_600);
    assert_eq!(config.keep.secs(Kept::Audit), parse(&[]).unwrap().keep.secs(Kept::Audit));
    for row in RETENTION {
        let error = parse(&[(row.setting, "59m")]).unwrap_err();
        assert!(error.contains(row.setting) && error.contains(row.why_min), "{error}");
    }
    assert_eq!(parse(&[]).unwrap().contents_kept, 0);
    assert_eq!(parse(&[("BRAIN_KEEP_CONTENTS", "50")]).unwrap().contents_kept, 50);
    assert!(parse(&[("BRAIN_KEEP_CONTENTS", "1001")]).unwrap_err().contains("a number from 0 to 1000"));
    assert!(parse(&[("BRAIN_KEEP_TRACES", "for ever")]).unwrap_err().contains("such as 30d"));
    assert!(parse(&[("BRAIN_KEEP_TRACE", "30d")]).unwrap_err().contains("did you mean BRAIN_KEEP_TRACES?"));
}

#[test]
fn a_shadow_is_the_same_but_for_what_its_file_sets_and_nothing_of_the_first_endpoint_goes_to_another() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("shadow.env");
    let first = [("LLM_BASE_URL", "https://first.example/v1"), ("LLM_API_KEY", "sk-first"), ("LLM_MODEL", "big")];
    let shadow = |text: &str, pairs: &[(&str, &str)]| {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::write(&file, text).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
        let path = file.to_str().unwrap();
        parse(&[&first, pairs, &[("BRAIN_SHADOW", path)]].concat())
    };
    let kept = [
        ("BRAIN_KEEP_CONTENTS", "5"),
        ("BRAIN_TIMEZONE", "Europe/Lisbon"),
        ("LLM_PRICE_IN", "3"),
        ("LLM_PRICE_OUT", "9"),
    ];
    let of = |config: &Config| {
        let shadow = config.shadow.as_deref().expect("a shadow");
        let plan = shadow.models[&Stage::Plan].clone();
        (plan.model, plan.base_url, plan.api_key.is_some(), shadow.timezone.is_some(), shadow.prices.len())
    };
    let other = shadow("LLM_MODEL=small\n", &kept).unwrap();
    let (model, url, has_key, has_zone, prices) = of(&other);
    assert_eq!((model.as_str(), url.as_str(), has_key, has_zone), ("small", "https://first.example/v1", true, true));
    assert!(prices > 0 && other.models[&Stage::Plan].model == "big" && other.shadow.unwrap().shadow.is_none());
    let elsewhere = shadow("LLM_BASE_URL=https://second.example/v1\nLLM_MODEL=small\n", &kept).unwrap();
    let (_, url, has_key, _, prices) = of(&elsewhere);
    assert_eq!((url.as_str(), has_key, prices), ("https://second.example/v1", false, 0));
    assert!(elsewhere.models[&Stage::Plan].api_key.is_some());

    for (text, pairs, expected) in [
        ("LLM_MODEL=small\n", &kept[1..], "set BRAIN_KEEP_CONTENTS"),
        (
            "LLM_MODEL=small\nBRAIN_ADMINS=7\nTELEGRAM_BOT_TOKEN=1:a\n",
            &kept,
            "BRAIN_ADMINS, TELEGRAM_BOT_TOKEN: a shadow",
        ),
        ("# nothing\n", &kept, "it sets nothing"),
        ("LLM_MODLE=small\n", &kept, "did you mean LLM_MODEL?"),
        ("BRAIN_PLANNING=fast\n", &kept, "shadow.env: BRAIN_PLANNING"),
    ] {
        let error = shadow(text, pairs).unwrap_err();
        assert!(error.contains(expected), "{text}: {error}");
    }
    std::fs::remove_file(&file).unwrap();
    let missing = parse(&[&first[..], &kept, &[("BRAIN_SHADOW", file.to_str().unwrap())]].concat()).unwrap_err();
    assert!(missing.contains("BRAIN_SHADOW: there is no such file"), "{missing}");
}

#[test]
fn every_unknown_key_of_the_file_is_named() {
    let error =
        Config::parse(Vec::new(), vec![("LLM_MODLE".into(), "x".into()), ("FOO".into(), "y".into())]).unwrap_err();
    assert_eq!(error.0.len(), 2);
    assert!(error.to_string().contains("did you mean LLM_MODEL?"));
}

#[test]
fn a_stage_takes_what_it_has_and_the_rest_from_the_common_endpoint_but_never_its_key() {
    let config = parse(&[
        ("LLM_BASE_URL", "http://localhost:1/v1"),
        ("LLM_API_KEY", "common"),
        ("LLM_MODEL", "big"),
        ("LLM_MODEL_ROUTE", "small"),
        ("LLM_BASE_URL_PLAN", "http://other:2/v1"),
    ])
    .unwrap();
    assert_eq!(config.models[&Stage::Route].model, "small");
    assert!(config.models[&Stage::Route].api_key.is_some());
    assert_eq!(config.models[&Stage::Plan].model, "big");
    assert!(config.models[&Stage::Plan].api_key.is_none());
}

#[test]
fn a_secret_goes_only_to_an_address_from_where_it_comes_from() {
    const TOKEN: (&str, &str) = ("TELEGRAM_BOT_TOKEN", "1:AAAAAAAAAAAA");
    const ADDRESS: &str = "https://elsewhere.example/v1";
    const LLM: [(&str, &str); 2] = [("LLM_MODEL", "big"), ("LLM_BASE_URL", "https://llm.example/v1")];
    let key = |name| (name, "AAAA");
    for (secret, address, rest) in [
        (TOKEN, "TELEGRAM_API_URL", vec![]),
        (TOKEN, "BRAIN_WEBHOOK_URL", vec![]),
        (key("BRAIN_WEBHOOK_SECRET"), "BRAIN_WEBHOOK_URL", vec![TOKEN]),
        (key("LLM_API_KEY"), "LLM_BASE_URL", vec![LLM[0]]),
        (key("LLM_API_KEY_PLAN"), "LLM_BASE_URL_PLAN", LLM.to_vec()),
        (key("LLM_API_KEY_PLAN"), "LLM_BASE_URL", vec![LLM[0]]),
        (key("LLM_FALLBACK_API_KEY"), "LLM_FALLBACK_BASE_URL", [&LLM[..], &[("LLM_FALLBACK_MODEL", "m")]].concat()),
        (key("EMBEDDINGS_API_KEY"), "EMBEDDINGS_BASE_URL", vec![("EMBEDDINGS_MODEL", "m")]),
        (key("TRANSCRIBE_API_KEY"), "TRANSCRIBE_BASE_URL", vec![("TRANSCRIBE_MODEL", "m")]),
    ] {
        let owned = |(key, value): (&str, &str)| (key.to_owned(), value.to_owned());
        // What the two need beside them stands where the secret does.
        let beside: Vec<(String, String)> = rest.into_iter().chain([secret]).map(owned).collect();
        let address_set = vec![owned((address, ADDRESS))];
        for apart in
            [Config::parse(beside.clone(), address_set.clone()), Config::parse(address_set.clone(), beside.clone())]
        {
            let error = apart.unwrap_err().to_string();
            assert!(error.contains(secret.0) && error.contains(address), "{secret:?}, {address}: {error}");
            assert!(!error.contains("AAAA") && !error.contains("elsewhere"), "{error}");
        }
        let all = [beside, address_set].concat();
        assert!(Config::parse(all.clone(), Vec::new()).is_ok(), "{secret:?}, {address}");
        assert!(Config::parse(Vec::new(), all).is_ok(), "{secret:?}, {address}");
    }
    // Where there is an address by default, a secret may stand anywhere.
    let token = vec![(TOKEN.0.to_owned(), TOKEN.1.to_owned())];
    assert!(Config::parse(token.clone(), Vec::new()).is_ok() && Config::parse(Vec::new(), token).is_ok());
}

/// As it would be read with these of the environment and these of a `.env`.
fn found(env: &[(&str, &str)], file: &[(&str, &str)]) -> Config {
    let owned = |pairs: &[(&str, &str)]| pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    Config::parse(owned(env), owned(file)).unwrap()
}

const SAID: [(&str, &str); 11] = [
    ("LLM_BASE_URL", "https://elsewhere.example/v1"),
    ("LLM_BASE_URL_CHAT", "https://elsewhere.example/v2"),
    ("LLM_API_KEY", "AAAA"),
    ("LLM_MODEL", "big"),
    ("LLM_MODEL_CHAT", "bigger"),
    ("LLM_FALLBACK_BASE_URL", "https://elsewhere.example/v3"),
    ("LLM_FALLBACK_MODEL", "small"),
    ("BRAIN_ADMINS", "666"),
    ("BRAIN_ADMIN_MAY_APPROVE", "true"),
    ("BRAIN_KEEP_CONVERSATION", "1d"),
    ("BRAIN_TIMEZONE", "Europe/Berlin"),
];

#[test]
fn a_found_file_decides_nothing_about_data_that_the_environment_names() {
    let kept = brain_core::limits::kept::Keep::default().secs(Kept::Conversation);
    for anchor in [("BRAIN_DATA_DIR", "/srv/brain"), ("TELEGRAM_BOT_TOKEN", "1:AAAAAAAAAAAA")] {
        let config = found(&[anchor], &SAID);
        assert!(config.models.is_empty() && config.model_fallback.is_none(), "{anchor:?}");
        assert!(config.admins.is_empty() && !config.admin_may_approve, "{anchor:?}");
        assert_eq!(config.keep.secs(Kept::Conversation), kept, "{anchor:?}");
        assert_eq!(config.timezone, Some(chrono_tz::Europe::Berlin), "how it is done, it may say");
        let told = config.warnings.concat();
        for (key, value) in &SAID[..10] {
            assert!(told.contains(key) && !told.contains(value), "{key}: {told}");
        }
        assert!(told.contains(anchor.0) && told.contains("in the environment as well"), "{told}");
        assert!(!told.contains("BRAIN_TIMEZONE"), "{told}");
    }
    // What the environment says about it counts, and the model's name is then one at that place.
    let config = found(
        &[("BRAIN_DATA_DIR", "/srv/brain"), ("LLM_BASE_URL", "http://127.0.0.1:1/v1")],
        &[("LLM_MODEL", "big"), ("LLM_MODEL_CHAT", "bigger"), ("LLM_BASE_URL_PLAN", "https://elsewhere.example")],
    );
    assert!(config.models.values().all(|model| model.base_url == "http://127.0.0.1:1/v1"), "{:?}", config.models);
    assert_eq!(config.models[&Stage::Chat].model, "bigger");
}

#[test]
fn a_file_that_names_its_own_data_says_everything_and_what_is_from_where_is_told() {
    let own = [&SAID[..], &[("BRAIN_DATA_DIR", "state"), ("TELEGRAM_BOT_TOKEN", "1:AAAAAAAAAAAA")]].concat();
    for file in [&SAID[..], &own] {
        let config = found(&[("BRAIN_DEBOUNCE", "1s")], file);
        assert_eq!((config.admins.as_slice(), config.models[&Stage::Chat].model.as_str()), (&[666][..], "bigger"));
        assert_eq!(config.warnings, [""; 0]);
        let taken = config.origin.taken().unwrap();
        assert!(
            taken.contains("LLM_BASE_URL, ") && taken.contains("; from the environment: BRAIN_DEBOUNCE"),
            "{taken}"
        );
        assert!(!taken.contains("elsewhere") && !taken.contains("AAAA"), "{taken}");
    }
    assert_eq!(found(&[("BRAIN_DEBOUNCE", "1s")], &[]).origin.taken(), None);
}

#[test]
fn every_key_decides_something_and_every_address_is_a_place() {
    for (key, decides) in KEYS {
        let is_address = key.split('_').any(|part| part == "URL") || key.ends_with("_KEY");
        assert!(!is_address || *decides == Decides::Place, "{key}");
        assert_eq!(super::keys::decides(key), Some(*decides), "{key}");
    }
    assert_eq!(super::keys::decides("LLM_BASE_URL_CHAT"), Some(Decides::Place));
    assert_eq!(super::keys::decides("LLM_BASE_URL_NOBODY"), None);
}

#[test]
fn a_stage_waits_as_long_as_is_set_for_it_or_for_all() {
    let waits = |pairs: &[(&str, &str)]| parse(pairs).unwrap().model_timeouts;
    assert!(waits(&[]).is_empty(), "each stage knows how long it waits");
    let set = waits(&[("LLM_TIMEOUT", "3m"), ("LLM_TIMEOUT_ROUTE", "20s")]);
    assert_eq!(set[&Stage::Route], Duration::from_secs(20));
    assert_eq!(set[&Stage::Plan], Duration::from_secs(180));
    let of_plan = waits(&[("LLM_TIMEOUT_PLAN", "5m")]);
    assert_eq!(of_plan, BTreeMap::from([(Stage::Plan, Duration::from_secs(300))]));
}

#[test]
fn a_webhook_needs_an_address_of_its_own_and_a_secret_that_telegram_takes() {
    let token = ("TELEGRAM_BOT_TOKEN", "1:AAAAAAAAAAAA");
    let config = parse(&[token, ("BRAIN_WEBHOOK_URL", "https://bot.example/hook")]).unwrap();
    let webhook = config.telegram.unwrap().webhook.unwrap();
    assert!(webhook.addr.ip().is_loopback() && webhook.secret.is_none());
    for (key, value) in
        [("BRAIN_WEBHOOK_URL", "bot.example"), ("BRAIN_WEBHOOK_ADDR", "8791"), ("BRAIN_WEBHOOK_SECRET", "not allowed!")]
    {
        let error = parse(&[token, (key, value)]).unwrap_err();
        assert!(error.contains(key), "{error}");
    }
    let error = parse(&[token, ("BRAIN_WEBHOOK_SECRET", "abc")]).unwrap_err();
    assert!(error.contains("BRAIN_WEBHOOK_URL is missing"), "{error}");
}

#[test]
fn secrets_are_not_shown() {
    let config = parse(&[("TELEGRAM_BOT_TOKEN", "1:AAAAAAAAAAAAsecret"), ("SMTP_URL", "smtp://u:secret@h")]).unwrap();
    assert!(!format!("{config:?}").contains("secret"));
}

#[test]
fn the_example_file_names_every_key_and_no_other() {
    let example = include_str!("../../../../.env.example");
    let named: Vec<&str> =
        example.lines().filter_map(|line| line.trim_start_matches("# ").split_once('=')).map(|(key, _)| key).collect();
    let kept = RETENTION.iter().map(|row| row.setting);
    for key in KEYS.iter().map(|(key, _)| *key).chain(kept) {
        assert!(named.contains(&key), "{key} is missing from .env.example");
    }
    for key in named {
        assert!(is_known(key), "{key} in .env.example is unknown");
    }
}

#[test]
fn the_page_needs_a_token_where_others_can_reach_it() {
    let web = parse(&[("BRAIN_ADMIN_ADDR", "127.0.0.1:8790")]).unwrap().web.unwrap();
    assert!(web.addr.ip().is_loopback() && web.token.is_none());
    for (given, says) in [
        (vec![("BRAIN_ADMIN_ADDR", "0.0.0.0:8790")], "others can reach it"),
        (vec![("BRAIN_ADMIN_ADDR", "127.0.0.1")], "BRAIN_ADMIN_ADDR"),
        (vec![("BRAIN_ADMIN_ADDR", "127.0.0.1:8790"), ("BRAIN_ADMIN_TOKEN", "short")], "BRAIN_ADMIN_TOKEN"),
        (vec![("BRAIN_ADMIN_TOKEN", "long-enough-for-a-token")], "BRAIN_ADMIN_ADDR is missing"),
    ] {
        let error = parse(&given).unwrap_err().to_string();
        assert!(error.contains(says) && !error.contains("short"), "{given:?}: {error}");
    }
    let open = parse(&[("BRAIN_ADMIN_ADDR", "0.0.0.0:8790"), ("BRAIN_ADMIN_TOKEN", "long-enough-for-a-token")]);
    assert!(open.unwrap().web.unwrap().token.is_some());
}

#[test]
fn accounts_in_short_form_are_acted_on() {
    let url = "https://anna%40example.com:secret@dav.example.com/";
    let config = parse(&[("CALDAV_URL", url), ("CARDDAV_URL", url)]).unwrap();
    assert_eq!((config.accounts.len(), config.warnings.as_slice()), (1, [].as_slice()));
}

#[test]
fn traces_go_somewhere_only_where_that_is_built_in() {
    let parsed = parse(&[("BRAIN_OTLP_URL", "http://127.0.0.1:4318")]);
    match cfg!(feature = "otel") {
        true => assert_eq!(parsed.unwrap().otlp_url.unwrap().as_str(), "http://127.0.0.1:4318/"),
        false => assert!(parsed.unwrap_err().contains("built without OpenTelemetry")),
    }
}

#[test]
fn a_key_that_was_renamed_is_read_by_its_old_name_and_said() {
    let variables = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    };
    for (env, file, expected) in [
        (&[("BRAIN_BREATH", "1s")][..], &[][..], 1),
        (&[], &[("BRAIN_BREATH", "1s")], 1),
        (&[("BRAIN_BREATH", "1s"), ("BRAIN_DEBOUNCE", "2s")], &[], 2),
        (&[("BRAIN_DEBOUNCE", "2s"), ("BRAIN_BREATH", "1s")], &[("BRAIN_BREATH", "3s")], 2),
        (&[("BRAIN_BREATH", "1s")], &[("BRAIN_DEBOUNCE", "2s")], 1),
    ] {
        let config = Config::parse(variables(env), variables(file)).unwrap();
        assert_eq!(config.debounce.as_secs(), expected, "{env:?} {file:?}");
        let told = config.warnings.join("\n");
        assert!(told.contains("BRAIN_BREATH is called BRAIN_DEBOUNCE now"), "{told}");
    }
    let problem = Config::parse(variables(&[("BRAIN_BREATH", "soon")]), Vec::new()).unwrap_err();
    assert!(problem.to_string().contains("BRAIN_DEBOUNCE"), "{problem}");
}
