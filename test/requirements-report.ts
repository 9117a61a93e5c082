import { requirements } from './requirements.ts';
import type { Requirement } from './requirements/requirement.ts';

const all = Object.entries(requirements);
const open = all.filter(([, requirement]) => stateOf(requirement) !== 'covered');

for (const [id, requirement] of all) {
  const { promise, tests, missing } = requirement;
  const rest = missing === undefined ? '' : ` (missing: ${missing})`;
  console.log(
    `${id.padEnd(4)} ${stateOf(requirement).padEnd(8)} ${String(tests.length).padStart(2)} tests  ${promise}${rest}`,
  );
}
console.log(`\n${all.length - open.length} covered, ${open.length} open: ${open.map(([id]) => id).join(' ')}`);

function stateOf({ tests, missing }: Requirement): 'open' | 'partly' | 'covered' {
  if (tests.length === 0) return 'open';
  return missing === undefined ? 'covered' : 'partly';
}
