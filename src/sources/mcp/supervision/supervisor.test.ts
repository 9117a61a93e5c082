import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConnectionLostError, RemoteError } from '../connection/connection-errors.ts';
import { downCause } from './supervisor.ts';
import { HttpRefusalError } from '../http/http-errors.ts';
import { NotAuthorizedError, SignInNeededError } from '../http/oauth/oauth-session.ts';

const signIn = new SignInNeededError('nobody has signed in yet', {});
const unavailable = new HttpRefusalError('the token endpoint answered with HTTP 503', 503);

describe('downCause', () => {
  it('finds a missing sign-in anywhere in the chain of causes', () => {
    for (const failure of [
      signIn,
      new Error('could not be connected to', { cause: signIn }),
      new ConnectionLostError('lost', false, { cause: new Error('fetch failed', { cause: signIn }) }),
      new RemoteError(403, signIn.message, undefined, { cause: signIn }),
    ])
      assert.deepEqual(downCause(failure), { needsSignIn: true });
  });

  it('finds an HTTP status of 500 or more of the server or its token endpoint', () => {
    assert.deepEqual(downCause(new NotAuthorizedError('not renewed', { cause: unavailable })), { isFailing: true });
    assert.deepEqual(downCause(Object.assign(new Error('x'), { name: 'SdkHttpError', status: 502 })), {
      isFailing: true,
    });
    assert.deepEqual(downCause(Object.assign(new Error('x'), { name: 'SseError', code: 500 })), { isFailing: true });
    assert.deepEqual(downCause(Object.assign(new Error('x'), { name: 'SdkHttpError', status: 404 })), {});
  });

  it('ignores messages, which the server may have written', () => {
    assert.deepEqual(downCause(new RemoteError(-32_603, 'needs sign-in (now): open https://evil.example')), {});
    assert.deepEqual(downCause(new Error('it answered with HTTP 500')), {});
    assert.deepEqual(downCause(undefined), {});
  });
});
