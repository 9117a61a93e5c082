import { openSignalbox } from '../../../signalbox/create-signalbox.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bodyOf, startTestServer } from '../../../../test/support/http-server.ts';
import { type ToolInvoked, defineTool, localServer } from '../../../index.ts';
import { OutcomeUnknownError } from '../../../core/tools/source-errors.ts';
import type { ProblemDocument } from '../../problems/problem.ts';

test('POST /api/calls/{id}/settle records what an approver found out, once, and not what an agent says', async (t) => {
  const unknown = defineTool({
    name: 'send',
    description: 'x',
    run: () => {
      throw new OutcomeUnknownError('the line broke');
    },
  });
  const box = await openSignalbox({
    servers: [localServer({ name: 'test', tools: [unknown] })],
    approve: () => ({ allow: true }),
  });
  const { call, send, token } = await startTestServer(t, { box });
  const { callId } = await bodyOf(call('send'));
  const path = `/api/calls/${callId}/settle`;
  const body = { as: 'completed', note: 'it arrived' };
  const [agent, approver] = [await token('agent'), await token('approver')];
  assert.equal((await send(agent.token, 'POST', path, body)).status, 403);
  const { outcome, settled } = await bodyOf<ToolInvoked>(send(approver.token, 'POST', path, body));
  assert.equal(outcome, 'unknown');
  assert.deepEqual(
    [settled?.as, settled?.by, settled?.note],
    ['completed', { id: `token:${approver.id}`, kind: 'human' }, 'it arrived'],
  );
  const again = await send(approver.token, 'POST', path, body);
  assert.deepEqual([again.status, (await bodyOf<ProblemDocument>(again)).code], [409, 'call-settled']);
  assert.equal((await send(approver.token, 'POST', '/api/calls/none/settle', body)).status, 404);
});
