// The chat: what the console says, line by line, as bubbles; a button sends what it carries.
"use strict";
const said = document.getElementById("said");
const form = document.getElementById("say");
const status = document.getElementById("status");
if (said && form && status) {
  const secret = form.dataset.secret;
  const shown = new Map();
  const send = async (line) => {
    const answer = await fetch("/chat/lines", {
      method: "POST",
      headers: { "Content-Type": "application/x-www-form-urlencoded", "X-Secret": secret },
      body: new URLSearchParams({ line: JSON.stringify(line) }),
    });
    if (!answer.ok) status.textContent = await answer.text();
  };
  // Each file by itself; what comes back names it in the line that it comes with.
  const handedOver = async (file) => {
    const about = new URLSearchParams({ name: file.name, kind: file.type });
    const answer = await fetch(`/chat/files?${about}`, { method: "POST", headers: { "X-Secret": secret }, body: file });
    if (!answer.ok) throw new Error(`${file.name}: ${await answer.text()}`);
    return answer.json();
  };
  const draft = document.getElementById("draft");
  const drafted = (text) => {
    draft.hidden = !text;
    draft.textContent = text;
    if (text) draft.scrollIntoView({ block: "nearest" });
  };
  const bubble = (text, isOwn) => {
    const at = document.createElement("div");
    at.className = isOwn ? "bubble own" : "bubble";
    at.append(document.createElement("div"));
    at.firstChild.textContent = text;
    said.append(at);
    at.scrollIntoView({ block: "nearest" });
    return at;
  };
  const buttons = (at, rows) => {
    at.querySelectorAll(".row").forEach((row) => row.remove());
    for (const row of rows) {
      const line = document.createElement("div");
      line.className = "row";
      for (const button of row) {
        const element = document.createElement("button");
        element.type = "button";
        element.className = "quiet";
        element.textContent = button.text;
        element.addEventListener("click", () => send({ press: button.data }));
        line.append(element);
      }
      at.append(line);
    }
  };
  const download = (at, name) => {
    const link = document.createElement("a");
    link.href = `/chat/files/${encodeURIComponent(name)}`;
    link.download = name;
    link.textContent = name;
    at.append(link);
  };
  const heard = (line) => {
    if (["message", "edit", "done"].includes(line.type)) drafted("");
    switch (line.type) {
      case "draft": drafted(line.text); break;
      case "message": {
        const at = bubble(line.text, false);
        if (line.file !== undefined) download(at, line.file);
        buttons(at, line.buttons);
        shown.set(line.id, at);
        break;
      }
      case "edit": {
        const at = shown.get(line.id) ?? bubble("", false);
        if (line.text !== undefined) at.firstChild.textContent = line.text;
        buttons(at, line.buttons);
        shown.set(line.id, at);
        break;
      }
      case "typing": status.textContent = "…"; break;
      case "status": status.textContent = line.text; break;
      case "error": status.textContent = line.error; break;
      case "done": if (line.path !== "error") status.textContent = ""; break;
    }
  };
  const events = new EventSource("/chat/events");
  events.addEventListener("message", (event) => heard(JSON.parse(event.data)));
  events.addEventListener("open", () => { status.textContent = ""; });
  events.addEventListener("error", () => { status.textContent = "The connection is broken; I try again."; });
  const field = form.elements.namedItem("text");
  const picked = document.getElementById("files");
  // Pressed again while files are on their way, it would say the same twice.
  let isHandingOver = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const text = field.value.trim();
    const chosen = [...picked.files];
    if (isHandingOver || !text && !chosen.length) return;
    let files = [];
    if (chosen.length) {
      status.textContent = "Handing over…";
      isHandingOver = true;
      try {
        files = await Promise.all(chosen.map(handedOver));
      } catch (why) {
        // Words and files stay where they are, to be sent again.
        status.textContent = why.message;
        return;
      } finally {
        isHandingOver = false;
      }
      status.textContent = "";
    }
    bubble([text, ...chosen.map((file) => `📎 ${file.name}`)].filter(Boolean).join("\n"), true);
    // What was written meanwhile stays.
    if (field.value.trim() === text) field.value = "";
    picked.value = "";
    send(files.length ? { text, files } : { text });
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey) { event.preventDefault(); form.requestSubmit(); }
  });
}
