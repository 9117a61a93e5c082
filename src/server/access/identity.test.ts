import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { roles } from '../../core/principal.ts';
import { mayView, tokenIdentity } from './identity.ts';

describe('identity of a token', () => {
  const identityOf = (role: (typeof roles)[number], id = 'tok_1') => tokenIdentity({ state: 'active', id, role });

  test('is a human for the roles approver and admin, and an agent for all others', () => {
    const humans = roles.filter((role) => identityOf(role).principal.kind === 'human');
    assert.deepEqual(humans, ['approver', 'admin']);
    assert.ok(roles.every((role) => identityOf(role).principal.id === 'token:tok_1'));
  });

  test('may view all calls, unless it is an agent: then only its own and those of agents in its sessions', () => {
    for (const role of roles.filter((each) => each !== 'agent')) assert.ok(mayView(identityOf(role), 'token:tok_2'));
    const owners = ['token:tok_1', 'token:tok_1/claude', 'token:tok_12', 'token:tok_2', 'console', 'token:tok_', ''];
    assert.deepEqual(
      owners.filter((owner) => mayView(identityOf('agent'), owner)),
      ['token:tok_1', 'token:tok_1/claude'],
    );
  });
});
