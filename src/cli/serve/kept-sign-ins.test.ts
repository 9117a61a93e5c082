import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { BrowserSessions } from '../../server/access/browser-sessions.ts';
import { keptSignIns } from './kept-sign-ins.ts';

const data = mkdtempSync(join(tmpdir(), 'signalbox-sign-ins-'));
const file = join(data, 'sign-ins.json');
after(() => rmSync(data, { recursive: true }));

test('a browser stays signed in when the server is started again', () => {
  const id = new BrowserSessions(Date.now, keptSignIns(data)).open();
  assert.equal(new BrowserSessions(Date.now, keptSignIns(data)).touch(id), true);
  assert.equal(new BrowserSessions(Date.now, keptSignIns(data)).touch(`${id}x`), false);
});

test('another admin token signs everybody out, and the one before lets them in again', () => {
  const under = (token: string): BrowserSessions => new BrowserSessions(Date.now, keptSignIns(data), token);
  const id = under('one').open();
  assert.equal(under('another').touch(id), false);
  under('another').open();
  assert.equal(under('one').touch(id), true);
});

test('what is kept lets nobody in who reads it, and is for its owner alone', () => {
  const sessions = new BrowserSessions(Date.now, keptSignIns(data));
  const id = sessions.open();
  const kept = readFileSync(file, 'utf8');
  assert.ok(!kept.includes(id));
  for (const name of Object.keys(JSON.parse(kept) as object)) assert.equal(sessions.touch(name), false);
  assert.equal(statSync(file).mode & 0o777, 0o600);
});

test('two servers on one directory keep the browsers of both', () => {
  const [one, other] = [
    new BrowserSessions(Date.now, keptSignIns(data)),
    new BrowserSessions(Date.now, keptSignIns(data)),
  ];
  const ids = [one.open(), other.open()];
  const later = new BrowserSessions(Date.now, keptSignIns(data));
  assert.deepEqual(
    ids.map((id) => later.touch(id)),
    [true, true],
  );
});

test('a file that is broken or missing signs everybody out, and is written anew', () => {
  writeFileSync(file, '{"a": ');
  const id = new BrowserSessions(Date.now, keptSignIns(data)).open();
  assert.equal(new BrowserSessions(Date.now, keptSignIns(data)).touch(id), true);
});
