// Live updates, relative times, copy buttons, and search while typing. The web UI works without this script.
'use strict';

const main = document.getElementById('main');
const changed = document.getElementById('changed');

/** Groups events that arrive together into one reload. @format milliseconds */
const LOOK_AFTER = 400;
const TELL_TIMES_EVERY = 30_000;
const TELL_ELAPSED_EVERY = 1_000;
const SEARCH_AFTER = 250;

/** Must match parts/when.tsx. */
const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
];
function relativeWords(ms) {
  const unit = units.find(([, size]) => Math.abs(ms) >= size);
  if (unit === undefined) return ms < 0 ? 'in a moment' : 'just now';
  const words = `${Math.floor(Math.abs(ms) / unit[1])} ${unit[0]}`;
  return ms < 0 ? `in ${words}` : `${words} ago`;
}
function tellTimes() {
  for (const each of document.querySelectorAll('time[datetime]')) {
    const words = relativeWords(Date.now() - Date.parse(each.dateTime));
    if (each.textContent !== words) each.textContent = words;
  }
}

/** Formats a duration as the server does. */
function durationWords(ms) {
  const pad = (value) => String(value).padStart(2, '0');
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 59.95) return `${seconds.toFixed(1)}s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)}m${pad(whole % 60)}s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 1440) return `${Math.floor(minutes / 60)}h${pad(minutes % 60)}m`;
  const hours = Math.floor(minutes / 60);
  return `${Math.floor(hours / 24)}d${pad(hours % 24)}h`;
}

/** The server measured these times by its own clock, which may differ from this one. @format milliseconds */
const clockSkew = Date.now() - Number(main.dataset.now);
function tellElapsed() {
  for (const each of document.querySelectorAll('[data-since]'))
    each.textContent = durationWords(Date.now() - clockSkew - Date.parse(each.dataset.since));
}

/** Browsers allow clipboard access only over https and on localhost. */
function showCopyButtons() {
  if (!navigator.clipboard) return;
  for (const button of document.querySelectorAll('button[data-copy]')) button.hidden = false;
}
document.addEventListener('click', async (event) => {
  const button = event.target instanceof Element ? event.target.closest('button[data-copy]') : null;
  if (!button) return;
  await navigator.clipboard.writeText(button.dataset.copy);
  button.textContent = 'Copied';
  setTimeout(() => (button.textContent = 'Copy'), 2_000);
});

/** Must match actions/action.tsx. */
const shellWord = (word) => (/^[\w.:/@-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);
function optionWords({ type, checked, value, required, dataset: { option, kind } }) {
  if (type === 'checkbox') return checked ? [option] : [];
  const text = value.trim();
  if (text === '') return required ? [`${option} "..."`] : [];
  const values = kind === 'words' ? text.split(/\s+/) : [text];
  return values.flatMap((each) => [option, shellWord(each)].filter((word) => word !== ''));
}
/** The command of a form does what the form does now. */
function tellCommand(form) {
  const fields = [...form.querySelectorAll('[data-option]')];
  const text = [form.dataset.command, ...fields.flatMap(optionWords)].join(' ');
  form.querySelector('.command code').textContent = text;
  const copy = form.querySelector('.command button');
  copy.dataset.copy = text;
  copy.setAttribute('aria-label', `Copy: ${text}`);
}

/** Whether the user has focus, input or an open detail in this part: live updates must not replace it. */
function isInUse(part) {
  if (part.contains(document.activeElement) && document.activeElement !== main) return true;
  if (part.querySelector('details[open]')) return true;
  for (const input of part.querySelectorAll('input:not([type=hidden]), select')) {
    if (input.type === 'checkbox' ? input.checked !== input.defaultChecked : isChanged(input)) return true;
  }
  return false;
}
const isChanged = (input) =>
  input instanceof HTMLSelectElement
    ? [...input.options].some((option) => option.selected !== option.defaultSelected && hasDefault(input))
    : input.value !== input.defaultValue;
const hasDefault = (select) => [...select.options].some((option) => option.defaultSelected);

/** The content of a part, without values that differ in every response and without what this script wrote. */
function shownOf(part) {
  const copy = part.cloneNode(true);
  for (const input of copy.querySelectorAll('input[name=requestId], input[name=_csrf]')) input.remove();
  for (const time of copy.querySelectorAll('time, [data-since]')) time.textContent = '';
  for (const button of copy.querySelectorAll('button[data-copy]')) button.remove();
  for (const command of copy.querySelectorAll('form[data-command] .command code')) command.textContent = '';
  return copy.outerHTML;
}

/** Parts whose children are replaced one by one. */
const isGroup = (part) => part.matches('.run, .run > div, .stages');

/** Replaces changed parts that are not in use. @returns whether all changes are shown */
function adopt(current, next) {
  let isWhole = true;
  const parts = [...next.children];
  const sameAs = (part) =>
    [...current.children].find(
      (each) =>
        (part.id === '' ? each.className === part.className : each.id === part.id) &&
        each.tagName === part.tagName,
    );
  const kept = new Set();
  let before = null;
  for (const part of parts) {
    const there = sameAs(part);
    let shown = there;
    if (there === undefined || kept.has(there)) shown = document.importNode(part, true);
    else if (isGroup(there)) isWhole = adopt(there, part) && isWhole;
    else if (shownOf(there) !== shownOf(part)) {
      // A decision must never be sent below the details of another plan.
      if (there.dataset.about === part.dataset.about && isInUse(there)) isWhole = false;
      else there.replaceWith((shown = document.importNode(part, true)));
    }
    if (!shown.isConnected)
      current.insertBefore(shown, before === null ? current.firstChild : before.nextSibling);
    kept.add(shown);
    before = shown;
  }
  for (const part of [...current.children]) {
    if (kept.has(part)) continue;
    if (isInUse(part)) isWhole = false;
    else part.remove();
  }
  return isWhole;
}

/** ID of the last event. The server reads once for all pages that received it. */
let told = '';
let looking;
let again = false;
async function look() {
  if (looking) return void (again = true);
  looking = true;
  try {
    const headers = { accept: 'text/html', 'portolan-looks-on': told };
    const answer = await fetch(location.href, { headers, redirect: 'error' });
    if (!answer.ok) return;
    const read = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const next = read.getElementById('main');
    if (next === null) return;
    changed.hidden = adopt(main, next);
    document.title = read.title;
    showCopyButtons();
    if (main.dataset.live !== next.dataset.live) listen(next.dataset.live);
  } catch {
    // The server is unreachable; the stream reconnects on its own.
  } finally {
    looking = false;
    if (again) {
      again = false;
      lookSoon({ lastEventId: told });
    }
  }
}
let soon;
const lookSoon = ({ lastEventId = '' } = {}) => {
  told = lastEventId;
  clearTimeout(soon);
  soon = setTimeout(look, LOOK_AFTER);
};

let stream;
function listen(address) {
  stream?.close();
  stream = undefined;
  if (address === undefined) delete main.dataset.live;
  else main.dataset.live = address;
  if (address === undefined) return;
  stream = new EventSource(address);
  stream.addEventListener('run', lookSoon);
  stream.addEventListener('problem', lookSoon);
  stream.addEventListener('status', lookSoon);
  stream.addEventListener('over', (event) => {
    stream.close();
    lookSoon(event);
  });
}

/** Filters the rows of a plan while typing. Without this script the form's button does the same. */
let typing;
function seek(form) {
  clearTimeout(typing);
  typing = setTimeout(async () => {
    // form.action would be the field named "action".
    const address = new URL(form.getAttribute('action'), location.href);
    address.hash = '';
    address.search = new URLSearchParams(new FormData(form)).toString();
    const answer = await fetch(address, { headers: { accept: 'text/html' } }).catch(() => undefined);
    if (!answer?.ok) return;
    const read = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const rows = read.getElementById(form.dataset.seek);
    if (rows === null) return;
    document.getElementById(form.dataset.seek).replaceWith(document.importNode(rows, true));
    history.replaceState(null, '', address);
  }, SEARCH_AFTER);
}
document.addEventListener('input', (event) => {
  const form = event.target instanceof Element ? event.target.closest('form[data-seek]') : null;
  if (form) seek(form);
  const action = event.target instanceof Element ? event.target.closest('form[data-command]') : null;
  if (action) tellCommand(action);
});

showCopyButtons();
tellTimes();
setInterval(tellTimes, TELL_TIMES_EVERY);
setInterval(tellElapsed, TELL_ELAPSED_EVERY);
if (main.dataset.live !== undefined) listen(main.dataset.live);
