import { Problem } from './problems/problem.ts';
import type { ServedConfiguration } from './served-configuration.ts';

/** The configuration that a route changes. A box that was made in code has none. */
export function presentConfiguration(configuration: ServedConfiguration | undefined): ServedConfiguration {
  if (configuration !== undefined) return configuration;
  throw new Problem('configuration-absent', 'this server was started in code, without a configuration');
}
