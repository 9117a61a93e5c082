import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSignalbox } from '../../signalbox/create-signalbox.ts';
import { BoxSecrets } from './box-secrets.ts';

test('BoxSecrets redacts secrets that were added before or after the box, in the box and in reports', async () => {
  const secrets = new BoxSecrets();
  secrets.add('EARLY', 'known-before-the-box');
  assert.throws(() => secrets.add('SHORT', 'abc'), { code: 'secret-invalid' });
  const box = await createSignalbox();
  secrets.attach(box);
  secrets.add('LATE', 'known-after-the-box');
  const text = 'known-before-the-box and known-after-the-box, abc';
  const redacted = '[redacted:EARLY] and [redacted:LATE], abc';
  assert.deepEqual([box.secrets.redact(text), secrets.redact(text)], [redacted, redacted]);
  await box.close();
});
