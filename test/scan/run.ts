/**
 * `npm run scan` measures the scanner of definitions.
 *
 *   npm run scan                   scans the poisoned examples of this repository, and the collected definitions of published servers
 *   npm run scan -- --collect      first starts the published servers of `npm run field` and collects their definitions
 *   npm run scan -- --cache DIR    another directory for the packages (node_modules/.cache/field)
 *   npm run scan -- --corpus FILE  scans only other descriptions: lines of {"text", "poisoned", "source"}
 *   npm run scan -- --all          also prints every missed example and every false alarm
 *
 * Exits with 1 if less than 90 % of the held-out examples are flagged, or more than 1 % of the published definitions.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { SourceTool } from '../../src/catalog/source/source.ts';
import { flagSuspicious, flagText } from '../../src/catalog/scan/flag-suspicious.ts';
import { schemaTexts } from '../../src/catalog/transforms/sanitize-schema.ts';
import { type JsonObject, isJsonObject } from '../../src/core/json/json.ts';
import { jsonText } from '../field/json-text.ts';
import { PackageCache, defaultCache } from '../field/package-cache.ts';
import { root } from '../support/command.ts';
import { collectPublished, readPublished } from './collect.ts';
import { scanCorpus } from './corpus.ts';
import { flagsOfExample, poisonedExamples } from './examples.ts';

const { values: options } = parseArgs({
  options: {
    collect: { type: 'boolean', default: false },
    cache: { type: 'string', default: defaultCache },
    corpus: { type: 'string' },
    all: { type: 'boolean', default: false },
  },
});
const share = (part: number, of: number): string => `${part} of ${of} (${((100 * part) / of).toFixed(1)} %)`;
if (options.corpus !== undefined) {
  for (const { source, poisoned, flagged, total, wrong } of scanCorpus(options.corpus)) {
    console.log(`${poisoned ? 'poisoned' : 'benign'}, ${source}: ${share(flagged, total)} flagged`);
    if (options.all) for (const text of wrong) console.log(`  ${poisoned ? 'missed' : 'false alarm'}: ${text}`);
  }
  process.exit(0);
}
const file = join(root, 'node_modules', '.cache', 'scan', 'published.jsonl');
if (options.collect)
  for (const failure of await collectPublished(file, new PackageCache(options.cache)))
    console.error(`not collected: ${failure}`);
const published = readPublished(file);
if (published === undefined) {
  console.error('no definitions of published servers yet. Collect them with: npm run scan -- --collect');
  process.exit(2);
}

const recall = (part: 'tuning' | 'held-out'): number => {
  const examples = poisonedExamples(part);
  const missed = examples.filter((example) => flagsOfExample(example).length === 0);
  console.log(`poisoned, ${part}: ${share(examples.length - missed.length, examples.length)} flagged`);
  if (options.all) for (const { kind, text } of missed) console.log(`  missed (${kind}): ${text}`);
  return 1 - missed.length / examples.length;
};

const texts = published.flatMap(({ server, tools, prompts, instructions }) => [
  ...tools.map((tool) => [`${server}/${jsonText(tool['name'])}`, flagSuspicious(toSourceTool(tool))] as const),
  ...prompts.map((prompt) => [`${server} prompt`, flagText('it', [...schemaTexts(prompt)])] as const),
  ...(instructions === undefined ? [] : [[`${server} instructions`, flagText('it', [instructions])] as const]),
]);
recall('tuning');
const heldOut = recall('held-out');
const alarms = texts.filter(([, flags]) => flags.length > 0);
console.log(`published servers (${published.length}): ${share(alarms.length, texts.length)} flagged, false alarms`);
if (options.all) for (const [name, flags] of alarms) console.log(`  ${name}: ${flags.join('; ')}`);
process.exit(heldOut >= 0.9 && alarms.length <= texts.length / 100 ? 0 : 1);

function toSourceTool({ name, title, description, inputSchema, outputSchema, annotations }: JsonObject) {
  return {
    tool: jsonText(name),
    ...(typeof title === 'string' ? { title } : {}),
    description: typeof description === 'string' ? description : '',
    inputSchema: isJsonObject(inputSchema) ? inputSchema : {},
    ...(isJsonObject(outputSchema) ? { outputSchema } : {}),
    annotations: (isJsonObject(annotations) ? annotations : {}) as SourceTool['annotations'],
  };
}
