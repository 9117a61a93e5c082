import { test } from 'node:test';
import { assertConforms } from './assert-conforms.ts';
import { revisions } from './required.ts';

for (const revision of revisions)
  test(`the official suite passes as a server of ${revision}, with a server behind Signalbox`, (t) =>
    assertConforms(t, 'server', revision, 30));
