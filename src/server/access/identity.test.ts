import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { roles } from '../../core/principal.ts';
import { mayView, tokenIdentity } from './identity.ts';

describe('the holder of a token', () => {
  const holder = (role: (typeof roles)[number], id = 'tok_1') => tokenIdentity({ state: 'active', id, role });

  test('counts as a human with the roles approver and admin, and with no other', () => {
    const humans = roles.filter((role) => holder(role).principal.kind === 'human');
    assert.deepEqual(humans, ['approver', 'admin']);
    assert.ok(roles.every((role) => holder(role).principal.id === 'token:tok_1'));
  });

  test('sees everybody’s calls, unless it is an agent: then its own, and what agents in its sessions did', () => {
    for (const role of roles.filter((each) => each !== 'agent')) assert.ok(mayView(holder(role), 'token:tok_2'));
    const seen = ['token:tok_1', 'token:tok_1/claude', 'token:tok_12', 'token:tok_2', 'console', 'token:tok_', ''];
    assert.deepEqual(
      seen.filter((owner) => mayView(holder('agent'), owner)),
      ['token:tok_1', 'token:tok_1/claude'],
    );
  });
});
