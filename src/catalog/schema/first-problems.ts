import type { Problem } from '../source/source.ts';

const mostProblems = 10;
const longestMessage = 500;

/** Returns the first problems, each of bounded length, and the number of the others, so that a model can correct its arguments. */
export function firstProblems<Found>(found: readonly Found[], problemOf: (found: Found) => Problem): Problem[] {
  const problems = found.slice(0, mostProblems).map((each) => {
    const { path, message } = problemOf(each);
    return { path, message: message.length <= longestMessage ? message : `${message.slice(0, longestMessage)}…` };
  });
  if (found.length > mostProblems)
    problems.push({ path: '$', message: `and ${found.length - mostProblems} more problems` });
  return problems;
}
