import assert from 'node:assert/strict';
import { type TestContext, describe, it } from 'node:test';
import { type AssertDocumented, createOpenApiAssertion } from '../../../../test/support/http/openapi-assertion.ts';
import { bodyOf } from '../../../../test/support/http/http-server.ts';
import { elicitingServer } from '../../../../test/support/sessions/eliciting-server.ts';
import {
  type SessionServer,
  eventsOf,
  isDone,
  openSessionServer,
} from '../../../../test/support/sessions/session-server.ts';
import type { SessionEvent } from '../../../sessions/events/session-event.ts';
import type { ProblemDocument } from '../../problems/problem.ts';

type Required = Extract<SessionEvent, { type: 'elicitation_required' }>;

interface ElicitingSession extends SessionServer {
  readonly id: string;
  readonly question: Required;
  readonly assertDocumented: AssertDocumented;
  answer(body: object, headers?: Record<string, string>): Promise<Response>;
}

/** Creates a session of the demo model whose call to `asking` waits for an answer of the user. */
async function startEliciting(test: TestContext, call: string): Promise<ElicitingSession> {
  const served = await openSessionServer(test, { box: { servers: [elicitingServer()] } });
  const id = await served.create();
  const stream = await served.say(id, `call mcp__asking__${call}`);
  const question = (await eventsOf(stream, ({ type }) => type === 'elicitation_required')).at(-1);
  assert.ok(question?.type === 'elicitation_required');
  const path = `/api/sessions/${id}/answer-elicitation`;
  const answer: ElicitingSession['answer'] = (body, headers) =>
    served.ask('POST', path, { elicitationId: question.elicitationId, ...body }, headers);
  const assertDocumented = await createOpenApiAssertion(served.ask('GET', '/openapi.json'));
  return { ...served, id, question, assertDocumented, answer };
}

const problemOf = async (response: Response): Promise<unknown[]> => {
  const { code, detail } = await bodyOf<ProblemDocument>(response);
  return [response.status, code, detail];
};

describe('elicitation form over HTTP', () => {
  it('is listed, accepts exactly one valid answer and emits the documented events', async (test) => {
    const { ask, watch, id, question, assertDocumented, answer } = await startEliciting(test, 'form {}');
    const list = '/api/elicitations';
    const listed = await bodyOf<{ items: Required[] }>(ask('GET', list));
    assert.deepEqual(listed.items, [question]);
    await assertDocumented('get', list, await ask('GET', `${list}?session=${id}`));
    assert.deepEqual((await bodyOf<{ items: Required[] }>(ask('GET', `${list}?session=other`))).items, []);

    const content = { name: 'Ann', sugar: 2, extras: ['ginger'] };
    const [status, code, detail] = await problemOf(
      await answer({ action: 'accept', content: { ...content, sugar: -1 } }),
    );
    assert.deepEqual([status, code], [422, 'elicitation-invalid']);
    assert.match(String(detail), /\$\.sugar must be >= 0/);
    assert.deepEqual((await problemOf(await answer({ action: 'accept', content: {} }))).slice(0, 2), [
      422,
      'elicitation-invalid',
    ]);
    assert.equal((await answer({ action: 'perhaps' })).status, 400);

    const accepted = await answer({ action: 'accept', content });
    assert.equal(accepted.status, 200);
    await assertDocumented('post', '/api/sessions/{id}/answer-elicitation', accepted);
    const events = await eventsOf(await watch(id, { after: question.seq }), isDone);
    const result = events.find(({ type }) => type === 'tool_result');
    assert.match(JSON.stringify(result), /accept.*Ann.*ginger/);
    assert.deepEqual((await problemOf(await answer({ action: 'decline' }))).slice(0, 2), [409, 'elicitation-closed']);
    const unknown = await answer({ elicitationId: 'elic_none', action: 'decline' });
    assert.deepEqual((await problemOf(unknown)).slice(0, 2), [404, 'elicitation-unknown']);
  });

  it('can be answered by approvers, not by agents or viewers', async (test) => {
    const { as, ask, answer } = await startEliciting(test, 'form {}');
    for (const role of ['agent', 'viewer'] as const)
      assert.equal((await answer({ action: 'decline' }, await as(role))).status, 403, role);
    assert.equal((await ask('GET', '/api/elicitations', undefined, await as('agent'))).status, 403);
    assert.equal((await answer({ action: 'decline' }, await as('approver'))).status, 200);
  });

  it('is sent to clients that connect later or resume', async (test) => {
    const { watch, id, question, answer } = await startEliciting(test, 'form {}');
    const isQuestion = ({ type }: SessionEvent): boolean => type === 'elicitation_required';
    assert.deepEqual((await eventsOf(await watch(id), isQuestion)).at(-1), question);
    const resumed = await watch(id, { lastEventId: String(question.seq - 1) });
    assert.deepEqual((await eventsOf(resumed, isQuestion)).at(-1), question);
    assert.equal((await answer({ action: 'cancel' })).status, 200);
    const rest = await eventsOf(await watch(id, { lastEventId: String(question.seq) }), isDone);
    assert.equal(rest.find(({ type }) => type !== 'session_status')?.type, 'elicitation_resolved');
  });
});

it('elicitations of pages and sampling requests emit the documented events and can be answered over HTTP', async (test) => {
  const page = await startEliciting(test, 'page {"url":"https://shop.example/sign-in?x=1"}');
  assert.ok(page.question.mode === 'url');
  assert.equal(page.question.url, 'https://shop.example/sign-in?x=1');
  await page.assertDocumented('get', '/api/elicitations', await page.ask('GET', '/api/elicitations'));
  assert.equal((await page.answer({ action: 'accept' })).status, 200);

  const sampling = await startEliciting(test, 'sample {"text":"hello"}');
  assert.ok(sampling.question.mode === 'sampling');
  assert.equal(sampling.question.model, 'demo');
  await sampling.assertDocumented('get', '/api/elicitations', await sampling.ask('GET', '/api/elicitations'));
  assert.equal((await sampling.answer({ action: 'accept' })).status, 200);
  const events = await eventsOf(await sampling.watch(sampling.id, { after: sampling.question.seq }), isDone);
  assert.match(JSON.stringify(events.find(({ type }) => type === 'sampling_result')), /I am the demo model/);
});
