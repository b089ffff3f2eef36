use brain_agent::core::when::{self, DateOrder, Reference};
use brain_agent::understanding::{self, Hearing};
use std::time::Instant;
#[test]
fn speed() {
    let reference = Reference { now: "2026-01-12T09:00:00Z".parse().unwrap(), zone: chrono_tz::UTC, order: DateOrder::DayFirst };
    let t = |name: &str, f: &mut dyn FnMut()| { f(); let s = Instant::now(); for _ in 0..200 { f(); } println!("{name}: {:.0} us", s.elapsed().as_secs_f64() * 1e6 / 200.0); };
    let text = "what about the mail from the bank";
    t("route", &mut || { understanding::route(&Hearing { text, reference: &reference, history: &[] }); });
    t("find", &mut || { when::find(text, &reference); });
    t("consent", &mut || { brain_agent::core::consent::read(text); });
    t("amends", &mut || { brain_agent::core::consent::amends(text); });
    let catalog = brain_agent::catalog::Catalog::built_in();
    let domains: Vec<String> = brain_agent::catalog::SERVICES.iter().map(|s| s.name.to_owned()).collect();
    t("schema", &mut || { catalog.plan_schema(&domains); });
    let schema = catalog.plan_schema(&domains);
    t("schema text", &mut || { schema.to_string(); });
    t("catalog", &mut || { brain_agent::catalog::Catalog::built_in(); });
    t("prompts", &mut || { brain_agent::prompts::Prompts::load(None).unwrap(); });
    let rt = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let rig = crate::rig::Rig::new(crate::rig::Setup { demo: true, ..Default::default() });
    rig.script.routes(serde_json::json!({"type": "action", "domains": domains, "is_followup": false}));
    t("empty plan turn", &mut || { rt.block_on(rig.says(text)); });
    rig.plans(serde_json::json!([crate::rig::action("keep", "list", serde_json::json!({}))]));
    t("list turn", &mut || { rt.block_on(rig.says(text)); });
    rig.plans(serde_json::json!([crate::rig::action("nope", "list", serde_json::json!({}))]));
    t("refused turn", &mut || { rt.block_on(rig.says(text)); });
    t("bad press", &mut || { rt.block_on(rig.me().presses("u:a")); });
}
