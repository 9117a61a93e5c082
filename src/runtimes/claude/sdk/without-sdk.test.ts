import assert from 'node:assert/strict';
import { registerHooks } from 'node:module';
import { test } from 'node:test';
import { runTurn } from '../../../../test/support/runtime/run-turn.ts';
import { openSignalbox } from '../../../signalbox/create-signalbox.ts';
import { runtimeTools } from '../../runtime-tools.ts';
import { claudeRuntime } from './claude-runtime.ts';

test('a turn without the Claude Agent SDK fails with the package to install', async () => {
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier.startsWith('@anthropic-ai/') ? '@anthropic-ai/not-installed' : specifier, context),
  });
  const own = runtimeTools('claude');
  const box = await openSignalbox({ servers: [own] });
  try {
    const { reason, errors } = await runTurn(claudeRuntime(), { box, own }, 'hello');
    assert.equal(reason, 'error');
    assert.equal(errors[0]?.code, 'runtime-missing');
    assert.match(errors[0].message, /npm install @anthropic-ai\/claude-agent-sdk/);
  } finally {
    hooks.deregister();
    await box.close();
  }
});
