import type { Section } from '../requirement.ts';

const args = 'test/attacks/arguments.test.ts';
const schemas = 'test/attacks/schemas.test.ts';
const decides = `${args} > arguments seen by policy`;
const budgets = `${args} > budgets over arguments that the journal shortens or redacts`;

/** Arguments and schemas: decide and count on what runs (H20–H25). */
export const argumentsAndSchemas: Section<'H'> = {
  H20: {
    promise:
      'policy decides on the arguments that the tool receives, after defaults, configured values and transforms, which run once; the journal has those as given beside them',
    tests: [
      `${decides} > mcp__x__own: include defaults, trimming, coercion and transforms, which run once`,
      `${decides} > mcp__x__isolated: include defaults, trimming, coercion and transforms, which run once`,
      `${decides} > mcp__y__ai: include defaults, trimming, coercion and transforms, which run once`,
      `${decides} > mcp__y__claude: include defaults, trimming, coercion and transforms, which run once`,
      'src/catalog/transforms/shaping/shape-arguments.test.ts > policy evaluates fixed, hidden and default values as the tool receives them',
      `${decides} > a value without a JSON form is rejected before policy decides`,
      `${decides} > a caller that mutates its arguments during the approval changes nothing`,
      `${decides} > a caller that mutates its arguments while the intent is recorded changes nothing`,
    ],
  },
  H21: {
    promise: 'an approval, an edit and an idempotency key are about the arguments that the tool receives',
    tests: [
      `${args} > arguments of an approval > a request shows the final arguments, and an approval covers the same arguments in another spelling`,
      `${args} > arguments of an approval > a callback receives the final arguments, and its edits run exactly as written or not at all`,
      `${args} > arguments of an approval > an idempotency key is bound to the final arguments`,
    ],
  },
  H22: {
    promise:
      'budgets count arguments that are too long to record, and amounts that look like secrets or are registered ones, like any others, after a restart and in other processes, on SQLite and PostgreSQL',
    tests: [
      `${budgets} > SQLite: arguments of more than 1 MB count in one process, in two, and after a restart`,
      `${budgets} > SQLite: arguments with an amount that looks like a secret count in one process, in two, and after a restart`,
      `${budgets} > SQLite: an amount that is a registered secret counts, and a path that contains one is matched`,
      `${budgets} > PostgreSQL: arguments of more than 1 MB count in one process, in two, and after a restart`,
      `${budgets} > PostgreSQL: arguments with an amount that looks like a secret count in one process, in two, and after a restart`,
      `${budgets} > PostgreSQL: an amount that is a registered secret counts, and a path that contains one is matched`,
    ],
  },
  H23: {
    promise: 'a tool whose input schema cannot check arguments cannot be called until its schema is trusted',
    tests: [
      `${schemas} > schema that cannot be checked > makes its tool uncallable, with the reason in the listing and in the error of the call`,
      `${schemas} > schema that cannot be checked > makes a local tool uncallable as well`,
      `${schemas} > schema that cannot be checked > is accepted with "schema": "trust", and the parts that can be checked still are`,
      `${schemas} > schema that cannot be checked > does not include unknown keywords, formats and dialects: they are ignored, a dialect with a notice`,
    ],
  },
  H24: {
    promise: 'arguments are checked by schemas of draft-04, draft-06, draft-07, 2019-09 and 2020-12',
    tests: [
      `${schemas} > dialect of a schema > supports draft-04, boolean exclusiveMinimum and id`,
      `${schemas} > dialect of a schema > supports draft-06`,
      `${schemas} > dialect of a schema > supports draft-07, an items list in a schema that refers to its own $id`,
      `${schemas} > dialect of a schema > supports 2019-09, $recursiveRef and dependentRequired`,
      `${schemas} > dialect of a schema > supports references to the own absolute $id and into it`,
      `${schemas} > dialect of a schema > separates two schemas with the same $id that refer to it`,
      `${schemas} > dialect of a schema > supports required names that every object inherits`,
    ],
  },
  H25: {
    promise: 'patterns of servers take linear time, and schemas with thousands of parts are not compiled',
    tests: [
      `${schemas} > cost of a hostile schema > patterns that backtrack are checked to the end, even on long text`,
      `${schemas} > cost of a hostile schema > a schema with thousands of parts is rejected without compilation`,
      'src/catalog/schema/linear-pattern.test.ts > linearPattern > matches the same texts as the pattern in JavaScript',
      'src/catalog/schema/linear-pattern.test.ts > linearPattern > runs no pattern that can backtrack on the native engine',
    ],
  },
};
