import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { CliProject, notesProject } from './cli-project.ts';

suite('signalbox replay', () => {
  test('replays a recorded session without its servers, and exits with 1 if rules change a result', async () => {
    const project = new CliProject(notesProject);
    await project.json(['call', 'list', '--session', 'monday']);
    await project.json(['call', 'list', '{"no":"such"}', '--session', 'monday']).catch(() => undefined);
    // The server is removed; its recording is not.
    writeFileSync(join(project.directory, 'signalbox.config.json'), '{}');
    const same = await project.run(['replay', 'monday']);
    assert.deepEqual([same.code, same.stderr], [0, '']);
    assert.match(same.stdout, /mcp__notes__list +completed +completed/);
    assert.match(same.stdout, /2 calls, 0 with a different result\n$/);
    writeFileSync(join(project.directory, 'strict.yaml'), '- { id: closed, deny: true, reason: closed on mondays }\n');
    const { items } = await project.json(['replay', 'monday', '--policies', 'strict.yaml'], 1);
    const [first] = items as { recorded: string; replayed: string; decision: { rule: string } }[];
    assert.deepEqual([first?.recorded, first?.replayed, first?.decision.rule], ['completed', 'denied', 'closed']);
    const unknown = await project.run(['replay', 'tuesday']);
    assert.deepEqual([unknown.code, /the journal has no call of session "tuesday"/.test(unknown.stderr)], [1, true]);
  });
});
