/** What the plain page does in the browser: gives answers, makes one call, and shows what became of it. Text only ever goes in as text. */
export const script = `
'use strict';
const button = document.getElementById('run');
const facts = document.getElementById('facts');
const status = document.getElementById('status');

function show(name, value, className) {
  const term = document.createElement('dt');
  term.textContent = name;
  const description = document.createElement('dd');
  const inner = document.createElement(className === 'code' ? 'code' : 'span');
  inner.textContent = value;
  if (className && className !== 'code') inner.className = className;
  description.append(inner);
  facts.append(term, description);
}

async function ask(path, options) {
  const response = await fetch(path, options);
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.title + ': ' + answer.detail);
  return answer;
}

const posted = { method: 'POST', headers: { 'Content-Type': 'application/json' } };

async function answer(pressed, all) {
  const told = document.getElementById(pressed.getAttribute('aria-describedby'));
  for (const each of all) each.disabled = true;
  try {
    const { state } = await ask(pressed.dataset.answer, { ...posted, body: '{}' });
    told.textContent = state === 'denied' ? 'Denied.' : 'Approved.';
  } catch (error) {
    told.textContent = error.message;
    for (const each of all) each.disabled = false;
  }
}

async function run() {
  const tool = encodeURIComponent(button.dataset.tool);
  button.disabled = true;
  status.textContent = 'Calling …';
  facts.replaceChildren();
  try {
    const result = await ask('/api/tools/' + tool + '/call', { ...posted, body: '{"arguments":{}}' });
    const entry = await ask('/api/calls/' + encodeURIComponent(result.callId));
    show('Outcome', result.outcome, result.outcome);
    show('Answer', result.content.map((block) => block.text || '[' + block.type + ']').join('\\n'), 'code');
    if (result.decision) show('Decision', result.decision.answer + ' by rule ' + result.decision.rule + ': ' + result.decision.reason, result.decision.answer);
    show('Took', result.durationMs.toFixed(1) + ' ms');
    show('Journal entry', '#' + entry.seq + ' at ' + entry.at);
    show('Hash', entry.hash, 'code');
    status.textContent = 'The call went through the whole pipeline and is on the record.';
  } catch (error) {
    status.textContent = 'That did not work. ' + error.message;
  } finally {
    button.disabled = false;
    button.focus();
  }
}

const answers = [...document.querySelectorAll('[data-answer]')];
for (const each of answers) {
  const described = each.getAttribute('aria-describedby');
  const both = answers.filter((other) => other.getAttribute('aria-describedby') === described);
  each.addEventListener('click', () => answer(each, both));
}
if (button) button.addEventListener('click', run);
`.trim();
