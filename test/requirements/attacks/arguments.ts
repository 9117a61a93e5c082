import type { Section } from '../requirement.ts';

const args = 'test/attacks/arguments.test.ts';
const schemas = 'test/attacks/schemas.test.ts';
const decides = `${args} > policy decides on the arguments that the tool receives`;
const budgets = `${args} > budgets count what was decided on, not what was recorded`;

/** Arguments and schemas: decide and count on what runs (H20–H25). */
export const argumentsAndSchemas: Section<'H'> = {
  H20: {
    promise:
      'policy decides on the arguments that the tool receives, after defaults, configured values and transforms, which run once; the journal has those as given beside them',
    tests: [
      `${decides} > mcp__x__own: after defaults, trimming, coercion and transforms, which run once`,
      `${decides} > mcp__x__isolated: after defaults, trimming, coercion and transforms, which run once`,
      `${decides} > mcp__y__ai: after defaults, trimming, coercion and transforms, which run once`,
      `${decides} > mcp__y__claude: after defaults, trimming, coercion and transforms, which run once`,
      'src/catalog/transforms/shaping/shape-arguments.test.ts > policy decides on fixed, hidden and default values as the tool receives them',
      `${decides} > a value without a JSON form is refused before anything is decided`,
      `${decides} > a caller that changes its own object while a human looks at the call changes nothing`,
      `${decides} > a caller that changes its own object while the intent of the call is recorded changes nothing`,
    ],
  },
  H21: {
    promise: 'an approval, an edit and an idempotency key are about the arguments that the tool receives',
    tests: [
      `${args} > an approval is about the arguments that run > it shows them, and the same arguments in another spelling need no second answer`,
      `${args} > an approval is about the arguments that run > a callback sees them, and edits run exactly as the human wrote them or not at all`,
      `${args} > an approval is about the arguments that run > an idempotency key is taken for them`,
    ],
  },
  H22: {
    promise:
      'budgets count arguments that are too long to record, and amounts that look like secrets or are registered ones, like any others, after a restart and in other processes, on SQLite and PostgreSQL',
    tests: [
      `${budgets} > SQLite: arguments of more than 1 MB, in one process, in two and after a restart`,
      `${budgets} > SQLite: arguments with an amount that looks like a secret, in one process, in two and after a restart`,
      `${budgets} > SQLite: an amount that is a registered secret, and a path that holds one`,
      `${budgets} > PostgreSQL: arguments of more than 1 MB, in one process, in two and after a restart`,
      `${budgets} > PostgreSQL: arguments with an amount that looks like a secret, in one process, in two and after a restart`,
      `${budgets} > PostgreSQL: an amount that is a registered secret, and a path that holds one`,
    ],
  },
  H23: {
    promise: 'a tool whose input schema cannot check arguments cannot be called until its schema is trusted',
    tests: [
      `${schemas} > a schema that cannot check arguments > makes its tool uncallable, with the reason in the listing and in the error of the call`,
      `${schemas} > a schema that cannot check arguments > a tool in this process is not callable either`,
      `${schemas} > a schema that cannot check arguments > opens by "schema": "trust", and the parts that can be checked still are`,
      `${schemas} > a schema that cannot check arguments > is not what an unknown keyword, format or dialect is: those are ignored, the dialect with a notice`,
    ],
  },
  H24: {
    promise: 'arguments are checked by schemas of draft-04, draft-06, draft-07, 2019-09 and 2020-12',
    tests: [
      `${schemas} > arguments are checked by the schema’s own dialect > draft-04, boolean exclusiveMinimum and id`,
      `${schemas} > arguments are checked by the schema’s own dialect > draft-06`,
      `${schemas} > arguments are checked by the schema’s own dialect > draft-07, a list of items in a schema that refers to its own $id`,
      `${schemas} > arguments are checked by the schema’s own dialect > 2019-09, $recursiveRef and dependentRequired`,
      `${schemas} > arguments are checked by the schema’s own dialect > a reference to the own absolute $id, and one into it`,
      `${schemas} > arguments are checked by the schema’s own dialect > two schemas with the same $id that refer to it are each their own`,
      `${schemas} > arguments are checked by the schema’s own dialect > required names that every object inherits`,
    ],
  },
  H25: {
    promise: 'patterns of servers take linear time, and schemas with thousands of parts are not compiled',
    tests: [
      `${schemas} > a hostile schema costs no more than its limit > patterns that backtrack are checked whole, also on long text`,
      `${schemas} > a hostile schema costs no more than its limit > a schema with thousands of parts is refused without being compiled`,
      'src/catalog/schema/linear-pattern.test.ts > a linear pattern > matches what the pattern matches in JavaScript',
      'src/catalog/schema/linear-pattern.test.ts > a linear pattern > leaves nothing to the engine of the runtime that could backtrack',
    ],
  },
};
