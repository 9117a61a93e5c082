import assert from 'node:assert/strict';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { parse } from 'yaml';
import { parseConfiguration } from '../../src/config/file/load-configuration.ts';
import { createSignalbox } from '../../src/signalbox/create-signalbox.ts';
import { root } from '../support/command.ts';
import { blocksOf, pages } from './pages.ts';

const blocks = pages.flatMap((page) =>
  blocksOf(page).map((block) => ({ ...block, place: `${page.file}:${block.line}` })),
);

suite('examples of files in the documentation', () => {
  test('are valid configurations', () => {
    const shown = blocks.filter(({ language }) => language === 'jsonc');
    assert.ok(shown.length > 5);
    for (const { place, text } of shown)
      assert.doesNotThrow(() => parseConfiguration(text, join(root, 'signalbox.config.json')), place);
  });

  test('are valid rules', async () => {
    const shown = blocks.filter(({ language, text }) => language === 'yaml' && Array.isArray(parse(text)));
    assert.ok(shown.length > 1);
    for (const { place, text } of shown) {
      const box = await createSignalbox({ policies: [{ file: place, text }] });
      await box.close();
    }
  });
});
