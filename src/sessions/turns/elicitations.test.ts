import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { until } from '../../../test/mcp-servers/boxed.ts';
import { fixtureProgram, referenceServer } from '../../../test/mcp-servers/programs.ts';
import { fixtureLinks, transportOf } from '../../../test/mcp-servers/fixture-links.ts';
import { startOpenAIApi } from '../../../test/support/model/openai-api.ts';
import {
  type SessionFixtureOptions,
  type SessionFixture,
  ann,
  eventsUntil,
  openSessionFixture,
} from '../../../test/support/sessions/session-fixture.ts';
import { type McpTransport, mcpServer } from '../../index.ts';
import type { JsonObject } from '../../core/json/json.ts';
import { modelRuntime } from '../../runtimes/model/model-runtime.ts';
import type { SessionEvent } from '../events/session-event.ts';

type Of<Type extends SessionEvent['type']> = Extract<SessionEvent, { type: Type }>;

const everyType = {
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Name', minLength: 2 },
    email: { type: 'string', format: 'email' },
    age: { type: 'integer', minimum: 0 },
    ratio: { type: 'number', default: 0.5 },
    agree: { type: 'boolean', default: true },
    color: { type: 'string', enum: ['red', 'green'], enumNames: ['Red', 'Green'] },
    size: {
      type: 'string',
      oneOf: [
        { const: 's', title: 'Small' },
        { const: 'l', title: 'Large' },
      ],
    },
    tags: { type: 'array', items: { type: 'string', enum: ['a', 'b', 'c'] }, minItems: 1 },
    days: {
      type: 'array',
      items: {
        anyOf: [
          { const: 'mo', title: 'Monday' },
          { const: 'tu', title: 'Tuesday' },
        ],
      },
    },
  },
  required: ['name', 'email', 'tags'],
};
const filledIn = {
  name: 'Ada',
  email: 'ada@example.org',
  age: 36,
  ratio: 0.25,
  agree: false,
  color: 'green',
  size: 'l',
  tags: ['a', 'c'],
  days: ['tu'],
};

interface ElicitingSession {
  readonly place: SessionFixture;
  readonly id: string;
  /** Resolves with the next event of a type. */
  next<Type extends SessionEvent['type']>(type: Type): Promise<Of<Type>>;
}

/** Creates a session whose agent calls one tool of the server `outside`. */
async function startEliciting(
  t: TestContext,
  transport: McpTransport,
  [tool, args]: readonly [tool: string, args: JsonObject],
  options: SessionFixtureOptions = {},
): Promise<ElicitingSession> {
  const server = mcpServer({ name: 'outside', transport });
  const place = await openSessionFixture({ ...options, box: { servers: [server], approve: () => ({ allow: true }) } });
  t.after(() => place.close());
  await until(() => server.health().state === 'up', 'the server is up');
  place.script = async function* ({ tools, signal }) {
    tools.list();
    const toolCallId = 'call_1';
    yield { type: 'tool_call_start', toolCallId, toolName: `mcp__outside__${tool}`, server: 'outside', tool };
    yield { type: 'tool_call_end', toolCallId, input: args };
    const result = await tools.call(`mcp__outside__${tool}`, args, { toolCallId, signal });
    const { outcome, content, durationMs } = result;
    yield { type: 'tool_result', toolCallId, outcome, content, durationMs };
    yield { type: 'done', reason: signal.aborted ? 'interrupted' : 'end' };
  };
  const { id } = await place.sessions.create({ agent: 'scripted' }, ann);
  await place.sessions.send(id, 'go', ann);
  let seen = 0;
  return {
    place,
    id,
    async next(type) {
      const events = await eventsUntil(place.sessions, id, (event) => event.type === type, seen);
      const found = events.at(-1);
      seen = found?.seq ?? seen;
      return found as never;
    },
  };
}

const elicit = (params: JsonObject): readonly [string, JsonObject] => [
  'request',
  { method: 'elicitation/create', params },
];
const form = elicit({ mode: 'form', message: 'Who are you?', requestedSchema: everyType });
const textOf = ({ content }: Of<'tool_result'>): string =>
  content.map((block) => ('text' in block ? block.text : '')).join('');

describe('form of a server', () => {
  for (const link of fixtureLinks) {
    test(`is emitted in the session, and the server receives the answer (${link})`, async (t) => {
      const { place, id, next } = await startEliciting(t, await transportOf(t, link), form);
      const question = await next('elicitation_required');
      assert.ok(question.mode === 'form');
      assert.deepEqual(question.requestedSchema, everyType);
      assert.deepEqual([question.server, question.toolCallId, question.message], ['outside', 'call_1', 'Who are you?']);
      assert.equal((await place.sessions.get(id)).state, 'waiting');
      assert.deepEqual(await place.sessions.elicitations(), [question]);
      const answer = { action: 'accept', content: filledIn };
      await place.sessions.answerElicitation(id, question.elicitationId, answer, ann);
      const resolved = await next('elicitation_resolved');
      assert.deepEqual([resolved.action, resolved.by, resolved.reason], ['accept', 'ann', undefined]);
      const result = await next('tool_result');
      assert.deepEqual(JSON.parse(textOf(result)), answer);
      await next('done');
      assert.deepEqual(await place.sessions.elicitations(), []);
      const stored = await eventsUntil(place.sessions, id, ({ type }) => type === 'done', 0);
      const others = stored.filter(({ type }) => type !== 'tool_result');
      assert.ok(!JSON.stringify(others).includes('ada@example.org'), 'the answer is not stored');
    });
  }

  test('can be declined or dismissed, and the server receives that answer', async (t) => {
    for (const action of ['decline', 'cancel'] as const) {
      const { place, id, next } = await startEliciting(t, fixtureProgram('legacy'), form);
      const { elicitationId } = await next('elicitation_required');
      await place.sessions.answerElicitation(id, elicitationId, { action }, ann);
      assert.deepEqual(JSON.parse(textOf(await next('tool_result'))), { action });
    }
  });

  test('rejects invalid content with the name of the field, and remains open', async (t) => {
    const { place, id, next } = await startEliciting(t, fixtureProgram('legacy'), form);
    const { elicitationId } = await next('elicitation_required');
    const answer = (content: JsonObject): Promise<void> =>
      place.sessions.answerElicitation(id, elicitationId, { action: 'accept', content }, ann);
    const wrong: readonly (readonly [JsonObject, RegExp])[] = [
      [{ ...filledIn, email: 'nowhere' }, /\$\.email/],
      [{ ...filledIn, color: 'blue' }, /\$\.color/],
      [{ ...filledIn, tags: ['d'] }, /\$\.tags/],
      [{ name: 'Ada', email: 'ada@example.org' }, /tags/],
    ];
    for (const [content, message] of wrong)
      await assert.rejects(answer(content), { code: 'elicitation-invalid', message });
    await answer(filledIn);
    assert.equal((await next('elicitation_resolved')).action, 'accept');
  });

  test('accepts one answer; later ones are refused with the name of the human who answered', async (t) => {
    const { place, id, next } = await startEliciting(t, fixtureProgram('legacy'), form);
    const { elicitationId } = await next('elicitation_required');
    const answers = await Promise.allSettled(
      ['ann', 'bob'].map((human) =>
        place.sessions.answerElicitation(id, elicitationId, { action: 'decline' }, { id: human, kind: 'human' }),
      ),
    );
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
    await next('done');
    const closed = { code: 'elicitation-closed', message: /already answered \(decline\) by ann/ };
    await assert.rejects(place.sessions.answerElicitation(id, elicitationId, { action: 'decline' }, ann), closed);
    const unknown = place.sessions.answerElicitation(id, 'elic_none', { action: 'decline' }, ann);
    await assert.rejects(unknown, { code: 'elicitation-unknown' });
  });

  test('above the size limit is refused with an error to the server', async (t) => {
    const large = elicit({ mode: 'form', message: 'x'.repeat(300_000), requestedSchema: everyType });
    const { next } = await startEliciting(t, fixtureProgram('legacy'), large);
    assert.match(textOf(await next('tool_result')), /a session shows at most 262144/);
  });
});

describe('question of a server is cancelled', () => {
  test('when it is not answered in time', async (t) => {
    const { next } = await startEliciting(t, fixtureProgram('legacy'), form, { elicitationMs: 50 });
    const { action, by, reason } = await next('elicitation_resolved');
    assert.deepEqual([action, by, reason], ['cancel', 'system', 'nobody answered in time']);
    assert.deepEqual(JSON.parse(textOf(await next('tool_result'))), { action: 'cancel' });
  });

  test('when the turn is interrupted', async (t) => {
    const { place, id, next } = await startEliciting(t, fixtureProgram('legacy'), form);
    const { elicitationId } = await next('elicitation_required');
    await place.sessions.interrupt(id);
    assert.equal((await next('elicitation_resolved')).action, 'cancel');
    await next('done');
    const late = place.sessions.answerElicitation(id, elicitationId, { action: 'decline' }, ann);
    await assert.rejects(late, { code: 'elicitation-closed' });
  });

  test('when the server process exits', async (t) => {
    const { place, id, next } = await startEliciting(t, fixtureProgram('legacy'), form);
    await next('elicitation_required');
    await place.box.call('mcp__outside__die').catch(() => undefined);
    const { action, by } = await next('elicitation_resolved');
    assert.deepEqual([action, by], ['cancel', 'system']);
    await next('done');
    assert.equal((await place.sessions.get(id)).state, 'idle');
  });
});

describe('page of a server', () => {
  test('is emitted with its URL and an id of the session', async (t) => {
    const url = 'https://accounts.example.org/consent?state=1';
    const { place, id, next } = await startEliciting(
      t,
      fixtureProgram('legacy'),
      elicit({ mode: 'url', message: 'Agree?', url, elicitationId: 'own-id' }),
    );
    const question = await next('elicitation_required');
    assert.ok(question.mode === 'url');
    assert.equal(question.url, url);
    assert.notEqual(question.elicitationId, 'own-id');
    await place.sessions.answerElicitation(id, question.elicitationId, { action: 'accept' }, ann);
    assert.deepEqual(JSON.parse(textOf(await next('tool_result'))), { action: 'accept' });
  });

  test('that the server requires with error -32042 is named in the result', async (t) => {
    const url = 'https://accounts.example.org/sign-in';
    const { next } = await startEliciting(t, fixtureProgram('legacy'), ['visit', { url }]);
    assert.match(textOf(await next('tool_result')), /sign in first.*open https:\/\/accounts\.example\.org\/sign-in/);
  });
});

test('the directory of the session is the only root', async (t) => {
  for (const link of fixtureLinks) {
    const { place, next } = await startEliciting(t, await transportOf(t, link), ['directories', {}]);
    const { roots } = JSON.parse(textOf(await next('tool_result'))) as { roots: { uri: string }[] };
    assert.deepEqual(
      roots.map(({ uri }) => uri),
      [pathToFileURL(place.directory).href],
      link,
    );
  }
});

describe('MCP reference server', () => {
  test('receives the answer to its form', async (t) => {
    const { place, id, next } = await startEliciting(t, referenceServer('everything'), [
      'trigger-elicitation-request',
      {},
    ]);
    const question = await next('elicitation_required');
    const content = { name: 'Ada Lovelace', email: 'ada@example.org', integer: 7 };
    await place.sessions.answerElicitation(id, question.elicitationId, { action: 'accept', content }, ann);
    assert.match(textOf(await next('tool_result')), /Name: Ada Lovelace/);
  });
});

const sampling = (params: JsonObject): readonly [string, JsonObject] => [
  'request',
  { method: 'sampling/createMessage', params },
];
const samplingRequest = { messages: [{ role: 'user', content: { type: 'text', text: 'Why?' } }], maxTokens: 50 };

describe('sampling request of a server', () => {
  /** An agent with a scripted model on a real connection. */
  async function modelAgent(
    t: TestContext,
  ): Promise<{ readonly requests: readonly unknown[]; readonly agents: SessionFixtureOptions }> {
    const api = await startOpenAIApi(() => [{ type: 'text', text: 'Because.' }]);
    t.after(() => api.close());
    const runtime = modelRuntime({ providers: { openai: { apiKey: 'k', baseURL: api.url, api: 'chat' } } });
    return { requests: api.requests, agents: { moreAgents: [{ name: 'gpt', runtime, model: 'openai/m' }] } };
  }

  for (const link of fixtureLinks) {
    test(`reaches a model only after a human agreed (${link})`, async (t) => {
      const { requests, agents } = await modelAgent(t);
      const { place, id, next } = await startEliciting(
        t,
        await transportOf(t, link),
        sampling(samplingRequest),
        agents,
      );
      const question = await next('elicitation_required');
      assert.ok(question.mode === 'sampling');
      assert.deepEqual([question.model, question.server, question.request], ['openai/m', 'outside', samplingRequest]);
      assert.equal(requests.length, 0, 'no request was sent yet');
      await place.sessions.answerElicitation(id, question.elicitationId, { action: 'accept' }, ann);
      const answered = await next('sampling_result');
      assert.deepEqual([answered.model, answered.content], ['openai/m', { type: 'text', text: 'Because.' }]);
      assert.match(textOf(await next('tool_result')), /Because\./);
      assert.equal(requests.length, 1);
    });
  }

  test('that a human declines never reaches a model', async (t) => {
    const { requests, agents } = await modelAgent(t);
    const { place, id, next } = await startEliciting(t, fixtureProgram('legacy'), sampling(samplingRequest), agents);
    const { elicitationId } = await next('elicitation_required');
    await place.sessions.answerElicitation(id, elicitationId, { action: 'decline' }, ann);
    assert.match(textOf(await next('tool_result')), /did not allow the sampling request \(decline\)/);
    assert.equal(requests.length, 0);
  });

  test('is refused with a hint when no agent has a model', async (t) => {
    const { next } = await startEliciting(t, fixtureProgram('legacy'), sampling(samplingRequest));
    const refusal = /the agent "scripted" has the runtime "scripted".*add an agent with "runtime": "model"/;
    assert.match(textOf(await next('tool_result')), refusal);
  });

  test('is refused in the mode `dontAsk`', async (t) => {
    const { agents } = await modelAgent(t);
    const { place, id, next } = await startEliciting(t, fixtureProgram('legacy'), sampling(samplingRequest), agents);
    const { elicitationId } = await next('elicitation_required');
    await place.sessions.change(id, { permissionMode: 'dontAsk' });
    await place.sessions.answerElicitation(id, elicitationId, { action: 'accept' }, ann);
    await next('done');
    await place.sessions.send(id, 'again', ann);
    assert.match(textOf(await next('tool_result')), /"dontAsk" asks nobody/);
  });
});
