// Fills pages with the blocks of #src: columns, floats, footnotes, running heads, line numbers.
// Blocks: data-kind = text (may be cut), rows (a table that may be cut), whole; flags: keep (with next), wide, float,
// fresh (starts a page), break. Footnotes are .fn elements inside a block, right after their mark.
(config) => {
  const source = document.getElementById("src");
  const blocks = [...source.children];
  const pages = [];
  let page, column, waiting = [];
  source.remove();

  const make = (name, parent) => {
    const e = document.createElement("div");
    e.className = name;
    parent.append(e);
    return e;
  };
  const newPage = () => {
    const e = make("page" + (pages.length % 2 ? " even" : ""), document.body);
    page = { e, hd: make("hd", e), top: make("top", e), cols: make("cols", e), columns: [] };
    page.ft = make("ft", e);
    for (let i = 0; i < config.columns; i++) {
      const c = make("col", page.cols);
      page.columns.push({ e: c, flow: make("flow", c), notes: make("notes", c) });
    }
    column = 0;
    pages.push(page);
    const wide = waiting.filter((b) => b.dataset.wide && config.columns > 1);
    for (const b of wide) {
      const used = page.top.offsetHeight;
      page.top.append(b);
      narrow(b);
      if (page.top.offsetHeight > page.e.clientHeight * 0.75 && used) { b.remove(); continue; }
      waiting.splice(waiting.indexOf(b), 1);
    }
    startColumn();
  };
  const current = () => page.columns[column];
  const over = () => {
    const c = current();
    return c.flow.offsetHeight + c.notes.offsetHeight > c.e.clientHeight + 0.5;
  };
  const used = () => pages.length && (page.top.childElementCount || page.columns.some((c) => c.flow.childElementCount));
  const startColumn = () => {
    for (const b of [...waiting]) {
      if (b.dataset.wide && config.columns > 1) continue;
      put(b);
      if (over() && current().flow.childElementCount > 1) { take(b); break; }
      waiting.splice(waiting.indexOf(b), 1);
    }
  };
  const nextColumn = () => {
    if (column + 1 < page.columns.length) { column++; startColumn(); } else newPage();
  };
  const narrow = (b) => {
    // a table too wide for its place gets smaller type; one that still does not fit is left out
    const t = b.querySelector("table");
    for (let i = 0; t && i < 8 && t.offsetWidth > t.parentElement.clientWidth + 1; i++) {
      t.style.fontSize = parseFloat(getComputedStyle(t).fontSize) * 0.94 + "px";
    }
    if (t && t.offsetWidth > t.parentElement.clientWidth + 1) t.closest("[data-kind]").replaceChildren();
  };
  const put = (b) => {
    current().flow.append(b);
    narrow(b);
    b.moved = [...b.querySelectorAll(".fn")].map((n) => ({ n, parent: n.parentNode, next: n.nextSibling }));
    for (const m of b.moved) current().notes.append(m.n);
  };
  const take = (b) => {
    for (const m of b.moved.reverse()) m.parent.insertBefore(m.n, m.next);
    b.remove();
  };
  const cutText = (b) => {
    // offsets after each word of the block's texts, footnotes left out
    const walker = document.createTreeWalker(b, NodeFilter.SHOW_TEXT);
    const cuts = [];
    while (walker.nextNode()) {
      const t = walker.currentNode;
      if (t.parentElement.closest(".fn, .mk, .n, svg, math, .mn")) continue;
      for (const m of t.data.matchAll(config.spaceless ? /./gu : /\s+|\n/g)) cuts.push([t, m.index + m[0].length]);
    }
    const part = (k, head) => {
      const r = document.createRange();
      if (head) { r.setStart(b, 0); r.setEnd(...cuts[k]); } else { r.setStart(...cuts[k]); r.setEnd(b, b.childNodes.length); }
      const e = b.cloneNode(false);
      e.append(r.cloneContents());
      e.classList.add(head ? "cut" : "rest");
      return e;
    };
    let low = -1, high = cuts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      const e = part(middle, true);
      put(e);
      const fits = !over();
      take(e);
      if (fits) low = middle; else high = middle - 1;
    }
    if (low < 0 || low >= cuts.length - 1) return null;
    const head = part(low, true), rest = part(low, false);
    if (head.textContent.trim().length < 70 || rest.textContent.trim().length < 40) return null;
    if (!rest.querySelector(".it") && b.querySelector(".it")) return null;
    if (b.classList.contains("code")) head.classList.remove("cut");
    return [head, rest];
  };
  const cutRows = (b) => {
    const rows = [...b.querySelectorAll("tbody > tr")];
    const rest = b.cloneNode(true);
    let k = rows.length;
    put(b);
    while (k > 0 && over()) rows[--k].remove();
    take(b);
    while (k > 0 && rows[k] && rows[k].dataset.joined) rows[--k].remove();
    if (k < 2) { for (const r of rows) if (!r.isConnected) b.querySelector("tbody").append(r); return null; }
    [...rest.querySelectorAll("tbody > tr")].slice(0, k).forEach((r) => r.remove());
    rest.querySelectorAll(".cap").forEach((c) => c.remove());
    b.querySelectorAll(".tnote").forEach((c) => c.remove());
    return [b, rest];
  };
  const place = (b) => {
    for (let tries = 0; tries < 40; tries++) {
      put(b);
      if (!over()) return;
      take(b);
      if (b.dataset.float && !b.dataset.tried && current().flow.childElementCount) { b.dataset.tried = 1; waiting.push(b); return; }
      const tall = !current().flow.childElementCount && b.querySelector("tbody");
      const parts = b.dataset.kind === "text" ? cutText(b) : b.dataset.kind === "rows" || tall ? cutRows(b) : null;
      if (parts) {
        put(parts[0]);
        b = parts[1];
        nextColumn();
        continue;
      }
      const flow = current().flow;
      if (!flow.childElementCount) { put(b); nextColumn(); return; }
      const pulled = [];
      while (flow.lastElementChild?.dataset.keep && flow.childElementCount > 1) { pulled.unshift(flow.lastElementChild); flow.lastElementChild.remove(); }
      nextColumn();
      for (const h of pulled) put(h);
    }
    put(b);
  };

  newPage();
  for (const b of blocks) {
    if (b.dataset.break) { if (used()) newPage(); continue; }
    if (b.dataset.fresh && used()) newPage();
    if (b.dataset.wide && config.columns > 1) {
      if (!used()) { page.top.append(b); narrow(b); } else if (b.dataset.float) waiting.push(b); else place(b);
      continue;
    }
    place(b);
  }
  for (let i = 0; waiting.length && i < 20; i++) newPage();
  if (!used() && pages.length > 1) pages.pop().e.remove();

  let chapter = "";
  pages.forEach((p, i) => {
    const found = p.e.querySelectorAll("[data-chapter]");
    if (found.length) chapter = found[0].dataset.chapter;
    const side = i === 0 ? "first" : i % 2 ? "left" : "right";
    const fill = (where, template, piece) => {
      if (!template || p.e.querySelector(".front.whole")) return;
      for (const t of template.split("|")) {
        const s = document.createElement("span");
        s.dataset.p = t.includes("{page}") ? config.pieces.page : piece;
        s.textContent = t.replace("{page}", i + 1).replace("{pages}", pages.length).replace("{title}", config.title)
          .replace("{author}", config.author).replace("{chapter}", chapter || config.title);
        where.append(s);
      }
    };
    fill(p.hd, config.head[side], config.pieces.header);
    fill(p.ft, config.head["foot-" + side], config.pieces.footer);
    if (chapter && found.length) chapter = found[found.length - 1].dataset.chapter;
  });

  if (config.lineNumbers) {
    for (const p of pages) {
      let count = 0;
      const origin = p.e.getBoundingClientRect();
      const scale = origin.width / p.e.offsetWidth;
      for (const c of p.columns) {
        const lines = new Map();
        for (const b of c.flow.children) {
          if (!b.matches(".p, .h, .li, .q")) continue;
          const r = document.createRange();
          r.selectNodeContents(b);
          for (const box of r.getClientRects()) {
            const middle = Math.round((box.top + box.bottom) / 2);
            if (box.width > 4 && ![...lines.keys()].some((y) => Math.abs(y - middle) < 6)) lines.set(middle, box);
          }
        }
        const left = c.e.getBoundingClientRect().left - origin.left;
        for (const y of [...lines.keys()].sort((a, b) => a - b)) {
          count++;
          if (count % config.lineNumbers) continue;
          const s = document.createElement("span");
          s.className = "lineno";
          s.dataset.p = config.pieces.lineno;
          s.textContent = count;
          s.style.left = (left - 22) / scale + "px";
          s.style.top = (y - origin.top) / scale - 5 + "px";
          p.e.append(s);
        }
      }
    }
  }
  return pages.length;
}
