import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSignalbox } from '../../signalbox/create-signalbox.ts';
import { BoxSecrets } from './box-secrets.ts';

test('a secret that is known before the box, or comes after it, is kept out of what the box records and of what is told', async () => {
  const secrets = new BoxSecrets();
  secrets.add('EARLY', 'known-from-the-start');
  assert.throws(() => secrets.add('SHORT', 'abc'), { code: 'secret-invalid' });
  const box = await createSignalbox();
  secrets.attach(box);
  secrets.add('LATE', 'known-since-then');
  const text = 'known-from-the-start and known-since-then, abc';
  const kept = '[redacted:EARLY] and [redacted:LATE], abc';
  assert.deepEqual([box.secrets.redact(text), secrets.redact(text)], [kept, kept]);
  await box.close();
});
