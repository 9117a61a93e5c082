import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Configuration } from '../../../config/configuration.ts';
import { literalSecrets } from '../../../config/secrets/literal-secrets.ts';
import { referencedSecrets } from '../../../config/references.ts';
import { isReadableByOthers } from '../../../config/secrets/encryption-keys.ts';
import { keyLocation, secretFiles } from '../../../config/secrets/key-ring.ts';
import { openVault } from '../../../host/secrets/open-vault.ts';
import { pluralize } from '../../../core/text/pluralize.ts';
import { messageOf } from '../../../core/errors.ts';
import { shortPath } from '../../../host/data-directory.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

/** Checks the stored secrets, the permissions of their files, and the secrets that the configuration refers to. */
export async function checkSecrets(configuration: Configuration | undefined, data: string): Promise<Finding[]> {
  return [
    ...(await checkStoredSecrets(data)),
    ...checkPermissions(data),
    ...(configuration === undefined
      ? []
      : [...checkLiterals(configuration), ...(await checkReferences(configuration, data))]),
  ];
}

async function checkStoredSecrets(data: string): Promise<Finding[]> {
  try {
    const items = await openVault(data).list();
    if (items.length === 0) return [];
    const stores = [...new Set(items.map(({ store }) => store))];
    const keys = stores.map((store) => shortPath(keyLocation(store, data))).join(' and ');
    const count = pluralize(items.length, 'secret');
    return [ok(`${count} in ${shortPath(secretFiles(data).directory)}, encrypted with the key in ${keys}`)];
  } catch (error) {
    return [problem(messageOf(error), 'signalbox secret remove NAME, then signalbox secret set NAME')];
  }
}

function checkPermissions(data: string): Finding[] {
  const { directory, keyFile } = secretFiles(data);
  const isDirectoryReadable =
    isReadableByOthers(directory) || entriesOf(directory).some((name) => isReadableByOthers(join(directory, name)));
  const findings: Finding[] = [];
  if (isDirectoryReadable)
    findings.push(
      warning(
        `other users of this machine can read the encrypted secrets in ${shortPath(directory)}`,
        `chmod -R go= ${shortPath(directory)}`,
      ),
    );
  if (isReadableByOthers(keyFile))
    findings.push(
      problem(
        `other users of this machine can read the key to the secrets in ${shortPath(keyFile)}; it is not used`,
        `chmod 600 ${shortPath(keyFile)}, and replace the secrets if other people use this machine`,
      ),
    );
  return findings;
}

function checkLiterals({ servers }: Configuration): Finding[] {
  return servers
    .flatMap((entry) => (entry.kind === 'external' ? literalSecrets(entry) : []))
    .map(({ path, name }) =>
      warning(
        `${path} looks like a secret in plain text in the configuration`,
        `signalbox secret set ${name}, and write \${secret:${name}} in its place`,
      ),
    );
}

async function checkReferences({ servers }: Configuration, data: string): Promise<Finding[]> {
  const settings = servers.map((entry) => (entry.kind === 'external' ? entry.settings : {}));
  const vault = openVault(data);
  const findings = referencedSecrets(JSON.stringify(settings)).map(async (name): Promise<Finding> => {
    const fix = `signalbox secret set ${name}`;
    try {
      if ((await vault.get(name)) !== undefined) return ok(`secret ${name} can be read`);
      return problem(`the configuration refers to the secret ${name}, which is not set`, fix);
    } catch (error) {
      return problem(messageOf(error), fix);
    }
  });
  return Promise.all(findings);
}

function entriesOf(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    // The directory does not exist yet.
    return [];
  }
}
