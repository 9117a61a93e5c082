import assert from 'node:assert/strict';
import { type TestContext, describe, it } from 'node:test';
import { type AssertDocumented, documented } from '../../../../test/support/documented.ts';
import { bodyOf } from '../../../../test/support/http-server.ts';
import { askingServer } from '../../../../test/support/sessions/asking-server.ts';
import {
  type SessionServer,
  eventsOf,
  isDone,
  openSessionServer,
} from '../../../../test/support/sessions/session-server.ts';
import type { SessionEvent } from '../../../sessions/events/session-event.ts';
import type { ProblemDocument } from '../../problems/problem.ts';

type Required = Extract<SessionEvent, { type: 'elicitation_required' }>;

interface Waiting extends SessionServer {
  readonly id: string;
  readonly asked: Required;
  readonly assertDocumented: AssertDocumented;
  answer(body: object, headers?: Record<string, string>): Promise<Response>;
}

/** Creates a session of the demo model whose call of `asking` waits for its user. */
async function waiting(test: TestContext, call: string): Promise<Waiting> {
  const served = await openSessionServer(test, { box: { servers: [askingServer()] } });
  const id = await served.create();
  const stream = await served.say(id, `call mcp__asking__${call}`);
  const asked = (await eventsOf(stream, ({ type }) => type === 'elicitation_required')).at(-1);
  assert.ok(asked?.type === 'elicitation_required');
  const path = `/api/sessions/${id}/answer-elicitation`;
  const answer: Waiting['answer'] = (body, headers) =>
    served.ask('POST', path, { elicitationId: asked.elicitationId, ...body }, headers);
  const assertDocumented = await documented(served.ask('GET', '/openapi.json'));
  return { ...served, id, asked, assertDocumented, answer };
}

const refusal = async (response: Response): Promise<unknown[]> => {
  const { code, detail } = await bodyOf<ProblemDocument>(response);
  return [response.status, code, detail];
};

describe('a form of a server, over HTTP', () => {
  it('is listed, accepts one valid answer, and emits the documented events', async (test) => {
    const { ask, watch, id, asked, assertDocumented, answer } = await waiting(test, 'form {}');
    const list = '/api/elicitations';
    const listed = await bodyOf<{ items: Required[] }>(ask('GET', list));
    assert.deepEqual(listed.items, [asked]);
    await assertDocumented('get', list, await ask('GET', `${list}?session=${id}`));
    assert.deepEqual((await bodyOf<{ items: Required[] }>(ask('GET', `${list}?session=other`))).items, []);

    const content = { name: 'Ann', sugar: 2, extras: ['ginger'] };
    const [status, code, detail] = await refusal(
      await answer({ action: 'accept', content: { ...content, sugar: -1 } }),
    );
    assert.deepEqual([status, code], [422, 'elicitation-invalid']);
    assert.match(String(detail), /\$\.sugar must be >= 0/);
    assert.deepEqual((await refusal(await answer({ action: 'accept', content: {} }))).slice(0, 2), [
      422,
      'elicitation-invalid',
    ]);
    assert.equal((await answer({ action: 'perhaps' })).status, 400);

    const accepted = await answer({ action: 'accept', content });
    assert.equal(accepted.status, 200);
    await assertDocumented('post', '/api/sessions/{id}/answer-elicitation', accepted);
    const events = await eventsOf(await watch(id, { after: asked.seq }), isDone);
    const result = events.find(({ type }) => type === 'tool_result');
    assert.match(JSON.stringify(result), /accept.*Ann.*ginger/);
    assert.deepEqual((await refusal(await answer({ action: 'decline' }))).slice(0, 2), [409, 'elicitation-closed']);
    const unknown = await answer({ elicitationId: 'elic_none', action: 'decline' });
    assert.deepEqual((await refusal(unknown)).slice(0, 2), [404, 'elicitation-unknown']);
  });

  it('is for people: agents and viewers are refused, approvers answer', async (test) => {
    const { as, ask, answer } = await waiting(test, 'form {}');
    for (const role of ['agent', 'viewer'] as const)
      assert.equal((await answer({ action: 'decline' }, await as(role))).status, 403, role);
    assert.equal((await ask('GET', '/api/elicitations', undefined, await as('agent'))).status, 403);
    assert.equal((await answer({ action: 'decline' }, await as('approver'))).status, 200);
  });

  it('is sent again to readers that connect later or resume', async (test) => {
    const { watch, id, asked, answer } = await waiting(test, 'form {}');
    const isAsked = ({ type }: SessionEvent): boolean => type === 'elicitation_required';
    assert.deepEqual((await eventsOf(await watch(id), isAsked)).at(-1), asked);
    const resumed = await watch(id, { lastEventId: String(asked.seq - 1) });
    assert.deepEqual((await eventsOf(resumed, isAsked)).at(-1), asked);
    assert.equal((await answer({ action: 'cancel' })).status, 200);
    const rest = await eventsOf(await watch(id, { lastEventId: String(asked.seq) }), isDone);
    assert.equal(rest.find(({ type }) => type !== 'session_status')?.type, 'elicitation_resolved');
  });
});

it('a page and a sampling request of a server emit the documented events and are answered', async (test) => {
  const page = await waiting(test, 'page {"url":"https://shop.example/sign-in?x=1"}');
  assert.ok(page.asked.mode === 'url');
  assert.equal(page.asked.url, 'https://shop.example/sign-in?x=1');
  await page.assertDocumented('get', '/api/elicitations', await page.ask('GET', '/api/elicitations'));
  assert.equal((await page.answer({ action: 'accept' })).status, 200);

  const sampling = await waiting(test, 'sample {"text":"hello"}');
  assert.ok(sampling.asked.mode === 'sampling');
  assert.equal(sampling.asked.model, 'demo');
  await sampling.assertDocumented('get', '/api/elicitations', await sampling.ask('GET', '/api/elicitations'));
  assert.equal((await sampling.answer({ action: 'accept' })).status, 200);
  const events = await eventsOf(await sampling.watch(sampling.id, { after: sampling.asked.seq }), isDone);
  assert.match(JSON.stringify(events.find(({ type }) => type === 'sampling_result')), /I am the demo model/);
});
