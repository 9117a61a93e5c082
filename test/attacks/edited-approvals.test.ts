import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import fc from 'fast-check';
import { type Approval, type CallResult, defineTool, localServer } from '../../src/index.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '../../src/core/json/json.ts';
import { restoreHidden } from '../../src/pipeline/approvals/edited-arguments.ts';
import { hideWithOriginals } from '../../src/pipeline/approvals/hidden-parts.ts';
import { createRedactor } from '../../src/redaction/redactor.ts';
import type { ProblemDocument } from '../../src/server/problems/problem.ts';
import type { InternalSignalbox } from '../../src/signalbox/internal-signalbox.ts';
import { openSignalbox } from '../../src/signalbox/create-signalbox.ts';
import { approvalIdOf } from '../support/approval-id.ts';
import { adminToken, bodyOf, startTestServer } from '../support/http/http-server.ts';
import { eventsOf, openSessionServer } from '../support/sessions/session-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const bot = { id: 'bot', kind: 'agent' } as const;
const alice = { id: 'alice', kind: 'human' } as const;
const registered = 'correct-horse-battery-staple';

interface EditingServer {
  readonly box: InternalSignalbox;
  /** The arguments that the tool received, in order. */
  readonly ran: JsonObject[];
  call(args: JsonObject): Promise<CallResult>;
  /** Makes a call that asks for approval, and returns the question. */
  ask(args: JsonObject): Promise<Approval>;
  /** Approves with edited arguments over HTTP, and returns the error text, or `approved`. */
  approve(id: string, edited: JsonObject): Promise<string>;
}

/** Starts a real server over a real store, with one tool that asks for approval. */
async function startEditingServer(t: TestContext): Promise<EditingServer> {
  const ran: JsonObject[] = [];
  const run = defineTool({
    name: 'run',
    description: 'Runs steps.',
    input: { type: 'object' },
    effect: 'irreversible',
    run: (args) => {
      ran.push(args as JsonObject);
      return 'done';
    },
  });
  const box = await openSignalbox({
    data: temporaryDirectory(t),
    servers: [localServer({ name: 't', tools: [run] })],
    secrets: { STAPLE: registered },
  });
  const { get, send } = await startTestServer(t, { box });
  const call = (args: JsonObject): Promise<CallResult> => box.call('mcp__t__run', args, { principal: bot, waitMs: 0 });
  return {
    box,
    ran,
    call,
    ask: async (args) => bodyOf<Approval>(get(`/api/approvals/${approvalIdOf(await call(args))}`)),
    async approve(id, edited) {
      const path = `/api/approvals/${id}/approve`;
      const response = await send(adminToken, 'POST', path, { arguments: edited, acknowledgeHidden: true });
      if (response.status === 200) return 'approved';
      const { code, detail } = await bodyOf<ProblemDocument>(response);
      assert.deepEqual([response.status, code], [422, 'edit-invalid']);
      return detail;
    },
  };
}

describe('edited approval of a call with hidden parts', () => {
  /** A call whose hidden parts were restored by position, with the edit of the human and the arguments that have to run. */
  const edit = <Asked extends JsonObject>(
    asked: Asked,
    toEdited: (shown: Asked) => JsonObject,
    expected: JsonObject,
  ): { asked: JsonObject; toEdited: (shown: JsonObject) => JsonObject; expected: JsonObject } => ({
    asked,
    toEdited: (shown) => toEdited(shown as Asked),
    expected,
  });
  const [good, evil] = [
    { token: 'good', do: 'A' },
    { token: 'evil', do: 'B' },
  ];
  const edits = {
    'a removed item': edit(
      { steps: ['password=evilevil1', 'password=goodgood2'] },
      ({ steps }) => ({ steps: steps.slice(1) }),
      { steps: ['password=goodgood2'] },
    ),
    'swapped items': edit({ steps: [good, evil] }, ({ steps }) => ({ steps: steps.toReversed() }), {
      steps: [evil, good],
    }),
    'a changed value beside a hidden key': edit(
      { m: { 'password=evilevil1': { a: 1, b: [1] }, n: 1 } },
      ({ m }) => ({ m: { ...m, n: 2 } }),
      { m: { 'password=evilevil1': { a: 1, b: [1] }, n: 2 } },
    ),
    'a removed hidden key': edit(
      { m: { 'password=evilevil1': 1, 'password=goodgood2': 1 } },
      ({ m }) => ({ m: Object.fromEntries(Object.entries(m).slice(1)) }),
      { m: { 'password=goodgood2': 1 } },
    ),
    'a changed text around hidden parts of all kinds': edit(
      { text: `echo ${registered} password=evilevil1 password=goodgood2`, pin: { token: 1234 } },
      ({ text, pin }) => ({ text: text.replace(/ password=\S+/, ''), moved: [pin.token] }),
      { text: `echo ${registered} password=goodgood2`, moved: [1234] },
    ),
  };
  for (const [name, { asked, toEdited, expected }] of Object.entries(edits))
    test(`runs exactly the edited arguments: ${name}`, async (t) => {
      const { ask, approve, call, ran } = await startEditingServer(t);
      const { id, arguments: shown } = await ask(asked);
      assert.equal(await approve(id, toEdited(shown)), 'approved');
      assert.equal((await call(asked)).outcome, 'completed');
      assert.deepEqual(ran, [expected]);
    });

  test('is not confused by a repeated call with keys in another order', async (t) => {
    const { ask, approve, call, ran } = await startEditingServer(t);
    const { id, arguments: shown } = await ask({ m: { 'password=evilevil1': 1, 'password=goodgood2': 1 }, a: 1 });
    const [first = ''] = Object.keys(shown['m'] as JsonObject);
    const { [first]: _, ...rest } = shown['m'] as JsonObject;
    assert.equal(await approve(id, { ...shown, m: rest }), 'approved');
    await call({ a: 1, m: { 'password=goodgood2': 1, 'password=evilevil1': 1 } });
    assert.deepEqual(ran, [{ a: 1, m: { 'password=goodgood2': 1 } }]);
  });

  test('is refused with the path when a placeholder is unknown, duplicated, changed, or text of the caller', async (t) => {
    const { ask, approve, call, ran } = await startEditingServer(t);
    const spoofed = {
      note: '[redacted:password] [redacted:password#3]',
      a: 'password=evilevil1',
      b: ['password=goodgood2'],
    };
    const { id, arguments: shown } = await ask(spoofed);
    const { a, b } = shown as { a: string; b: [string] };
    assert.notEqual(a, b[0]);
    assert.ok(!spoofed.note.includes(a.slice('password='.length)), a);
    const refused: readonly (readonly [JsonObject, RegExp])[] = [
      [{ a: b[0], b }, /"\[redacted:password#\d\]" at \/b\/0 is used twice/],
      [
        { a: 'x', b, new: { deep: ['password=[redacted:password#9]'] } },
        /#9\]" at \/new\/deep\/0 stands for no hidden value/,
      ],
      [{ ...shown, c: 1 }, /"\[redacted:password\]" at \/note stands for no hidden value/],
      [{ [`x${a}`]: 1, a }, /at \/a is used twice/],
      [{ a: a.slice(0, -1) }, /at \/a stands for no hidden value/],
      [{ a: '[●●●●]' }, /at \/a stands for no/],
      [{ a: '[REDACTED]' }, /at \/a stands for no/],
      [{ a: 'password=someother' }, /looks like a secret at \/a/],
    ];
    for (const [edited, expected] of refused) {
      const problem = await approve(id, edited);
      assert.match(problem, expected);
      if (!/looks like/.test(problem)) assert.match(problem, /Reveal the arguments, then edit/);
    }
    assert.equal(await approve(id, { a, b: [] }), 'approved');
    await call(spoofed);
    assert.deepEqual(ran, [{ a: 'password=evilevil1', b: [] }]);
  });

  test('runs nothing when two hidden keys would become one, and the next call asks again', async (t) => {
    const { ask, approve, call, ran } = await startEditingServer(t);
    const { id, hidden } = await ask({ token: 'n', n: 1 });
    const [{ placeholder } = { placeholder: '' }] = hidden;
    assert.equal(await approve(id, { [placeholder]: 1, n: 2 }), 'approved');
    const { outcome, error } = await call({ token: 'n', n: 1 });
    assert.deepEqual([outcome, error?.code], ['failed', 'arguments-invalid']);
    assert.match(error?.message ?? '', /two properties have the same name at \/n/);
    assert.equal((await call({ token: 'n', n: 1 })).outcome, 'awaiting-approval');
    assert.deepEqual(ran, []);
  });

  test('runs nothing when a secret that was registered meanwhile changes the placeholders', async (t) => {
    const { box, ask, approve, call, ran } = await startEditingServer(t);
    const asked = { a: 'password=evilevil1', b: 'password=goodgood2' };
    const { id, arguments: shown } = await ask(asked);
    assert.equal(await approve(id, { b: shown['b'] ?? '' }), 'approved');
    box.secrets.add('OTHER', 'evilevil1');
    const { outcome } = await call(asked);
    assert.deepEqual([outcome, ran], ['failed', []]);
  });

  test('is refused when the arguments are hidden as a whole, unless it replaces them', async (t) => {
    const { ask, approve, call, ran } = await startEditingServer(t);
    const large = { text: 'x'.repeat(1_100_000) };
    const { id, arguments: shown } = await ask(large);
    assert.match(await approve(id, { ...shown, b: 1 }), /at \/… stands for no hidden value/);
    assert.equal(await approve(id, { text: 'small' }), 'approved');
    await call(large);
    assert.deepEqual(ran, [{ text: 'small' }]);
  });

  test('shows a revealed value under the placeholder that the question has for it', async (t) => {
    const { box, ask } = await startEditingServer(t);
    box.secrets.add('password', 'registered-password');
    const asked = { a: 'password=evilevil1', b: 'echo registered-password' };
    const { id, arguments: shown } = await ask(asked);
    const revealed = await box.approvals.reveal(id, { by: alice });
    assert.deepEqual(revealed.arguments, { ...asked, b: shown['b'] });
  });

  test('runs exactly the edited arguments in a session', async (t) => {
    const { ask, create, say, fixture } = await openSessionServer(t);
    const id = await create();
    const stream = await say(id, `call mcp__notes__write {"text":"password=evilevil1 password=goodgood2"}`);
    const request = (await eventsOf(stream, ({ type }) => type === 'approval_required')).at(-1);
    assert.ok(request?.type === 'approval_required');
    const { toolCallId, hidden = [] } = request;
    const approve = (text: string): Promise<Response> =>
      ask('POST', `/api/sessions/${id}/approve`, { toolCallId, arguments: { text }, acknowledgeHidden: true });
    const [first, second] = hidden.map(({ placeholder }) => placeholder);
    assert.equal((await approve(`${first} ${first}`)).status, 422);
    assert.equal((await approve(`password=${second}`)).status, 200);
    await eventsOf(stream);
    assert.deepEqual(fixture.notes, ['password=goodgood2']);
  });

  test('runs exactly the edited arguments of a callback of the host', async () => {
    const ran: unknown[] = [];
    const run = defineTool({
      name: 'run',
      description: 'Runs steps.',
      input: { type: 'object' },
      effect: 'irreversible',
      run: (args) => {
        ran.push(args);
        return 'done';
      },
    });
    const box = await openSignalbox({
      servers: [localServer({ name: 't', tools: [run] })],
      approve: ({ shown }) => ({
        allow: true,
        arguments: { steps: (shown['steps'] as string[]).toReversed().slice(0, 1) },
      }),
    });
    await box.call('mcp__t__run', { steps: ['password=evilevil1', 'password=goodgood2'] });
    assert.deepEqual(ran, [{ steps: ['password=goodgood2'] }]);
    await box.close();
  });
});

/** A value as it is and as a human sees it, so that one edit changes both in the same way. */
type Pair =
  | { readonly kind: 'value'; shown: JsonValue; original: JsonValue }
  | { readonly kind: 'list'; items: Pair[] }
  | { readonly kind: 'object'; entries: [shownName: string, name: string, value: Pair][] };

function pair(shown: JsonValue, original: JsonValue): Pair {
  if (Array.isArray(shown) && Array.isArray(original)) {
    const items = original as readonly JsonValue[];
    return {
      kind: 'list',
      items: (shown as readonly JsonValue[]).map((item, index) => pair(item, items[index] ?? null)),
    };
  }
  if (!isJsonObject(shown) || !isJsonObject(original)) return { kind: 'value', shown, original };
  const [names, values] = [Object.keys(original), Object.values(original)];
  return {
    kind: 'object',
    entries: Object.entries(shown).map(([name, each], index) => [
      name,
      names[index] ?? '',
      pair(each, values[index] ?? null),
    ]),
  };
}

function sideOf(value: Pair, side: 'shown' | 'original'): JsonValue {
  switch (value.kind) {
    case 'value':
      return value[side];
    case 'list':
      return value.items.map((item) => sideOf(item, side));
    case 'object':
      return Object.fromEntries(
        value.entries.map(([shown, original, each]) => [side === 'shown' ? shown : original, sideOf(each, side)]),
      );
  }
}

/** Applies one edit to a random container; `pick` returns a random number below its argument. */
function editRandomly(root: Pair, pick: (below: number) => number): void {
  const containers: Exclude<Pair, { kind: 'value' }>[] = [];
  const collect = (value: Pair): void => {
    if (value.kind === 'value') return;
    containers.push(value);
    for (const part of value.kind === 'list' ? value.items : value.entries.map(([, , each]) => each)) collect(part);
  };
  collect(root);
  const into = containers[pick(containers.length)];
  if (into === undefined) return;
  const fresh = (): Pair => ({ kind: 'value', shown: `new ${pick(9)}`, original: '' });
  const added = fresh();
  if (added.kind === 'value') added.original = added.shown;
  if (into.kind === 'object') {
    if (into.entries.length > 0 && pick(3) > 0) into.entries.splice(pick(into.entries.length), 1);
    else if (pick(2) === 0) into.entries.reverse();
    else into.entries.push([`new${into.entries.length}`, `new${into.entries.length}`, added]);
    return;
  }
  const { items } = into;
  const [from, to] = [pick(items.length + 1), pick(items.length + 1)];
  const [item] = items.slice(from, from + 1);
  if (item === undefined) items.splice(to, 0, added);
  else if (pick(4) === 0) items.splice(to, 0, structuredClone(item));
  else items.splice(to, 0, ...items.splice(from, pick(2)));
}

test('for random arguments and edits, exactly the edited arguments are restored, or the edit is refused', () => {
  const redactor = createRedactor();
  redactor.add('STAPLE', registered);
  redactor.add('password', 'hunter2hunter2');
  const text = fc
    .array(
      fc.oneof(
        fc.constantFrom(
          registered,
          'hunter2hunter2',
          ' ',
          '{"token":"x1","n":[1]}',
          '[redacted:password#2]',
          '[redacted]',
          '[',
        ),
        fc.integer({ min: 1, max: 9 }).map((number) => `password=secret${number}0000 `),
      ),
      { maxLength: 4 },
    )
    .map((parts) => parts.join(''));
  const json = fc.letrec<{ json: JsonValue }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 3 },
      text,
      fc.constantFrom(1, 12, null, true, 'plain'),
      fc.array(tie('json'), { maxLength: 4 }),
      fc.dictionary(fc.oneof(fc.constantFrom('a', 'token', 'password'), text), tie('json'), { maxKeys: 3 }),
    ),
  })).json;
  let [restored, refused] = [0, 0];
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom('k', 'l', 'm', 'token'), json),
      fc.array(fc.nat(), { minLength: 20, maxLength: 20 }),
      fc.integer({ min: 0, max: 4 }),
      (original, numbers, edits) => {
        const { shown, originals } = hideWithOriginals(JSON.stringify(original), redactor, 'everything');
        const { arguments: seen, hidden } = shown;
        assert.equal(new Set(hidden.map(({ placeholder }) => placeholder)).size, hidden.length);
        const root = pair(seen, original);
        let next = 0;
        const pick = (below: number): number => (numbers[next++ % numbers.length] ?? 0) % Math.max(1, below);
        for (let done = 0; done < edits; done += 1) editRandomly(root, pick);
        const edited = sideOf(root, 'shown') as JsonObject;
        const source = JSON.stringify(edited);
        const isDuplicated = hidden.some(({ placeholder }) => source.split(placeholder).length > 2);
        const callerText = hidden.reduce((rest, { placeholder }) => rest.replaceAll(placeholder, ''), source);
        const isRefused = isDuplicated || /\[(?:redacted|●)/.test(callerText);
        if (isRefused) {
          refused += 1;
          assert.throws(() => restoreHidden(edited, originals), { code: 'edit-invalid' });
        } else {
          restored += 1;
          assert.deepEqual(restoreHidden(edited, originals), sideOf(root, 'original'));
        }
      },
    ),
    { numRuns: 3000, seed: 7 },
  );
  assert.ok(restored > 500 && refused > 500, `${restored} restored, ${refused} refused`);
});
