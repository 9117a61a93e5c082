import { test } from 'node:test';
import { assertConforms } from './assert-conforms.ts';
import { revisions } from './required.ts';

for (const revision of revisions)
  test(`the official suite passes as a client of ${revision}`, (t) => assertConforms(t, 'client', revision, 18));
