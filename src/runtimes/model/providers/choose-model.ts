import type { LanguageModel } from 'ai';
import { SignalboxError } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import { nearest } from '../../../core/text/closest-match.ts';
import { type Provider, type ProviderSettings, knownProviders, openAICompatible } from './providers.ts';

/** A model, and what the runtime must know about it. */
export interface ChosenModel {
  readonly name: string;
  /** The name under which tools keep options for its provider. */
  readonly provider: string;
  /** The demo model is our own: it answers without the AI SDK. */
  readonly model: Exclude<LanguageModel, string> | 'demo';
  /** What its provider takes with each request. */
  readonly options?: JsonObject;
  /** Whether tool results may hold images. */
  readonly images: boolean;
}

/** A model that cannot be used, and what to do about it. */
export class ModelUnusable extends SignalboxError {
  readonly problem: string;
  readonly fix: string;

  constructor(name: string, problem: string, fix: string, cause?: unknown) {
    const what = `model ${JSON.stringify(name)} ${problem}`;
    super('model-unusable', `${what}: ${fix}`, { cause });
    this.problem = what;
    this.fix = fix;
  }
}

/** Finds the model of a name: `demo`, or `provider/model`. */
export async function chooseModel(
  name: string,
  settings: Readonly<Record<string, ProviderSettings>>,
): Promise<ChosenModel> {
  if (name === 'demo') return { name, provider: 'demo', model: 'demo', images: false };
  const slash = name.indexOf('/');
  const [provider, id] = [name.slice(0, Math.max(slash, 0)), name.slice(slash + 1)];
  if (slash < 1 || id === '') {
    throw new ModelUnusable(
      name,
      'is no model name',
      'write "provider/model", for instance "anthropic/claude-sonnet-4-5", or "demo"',
    );
  }
  const own = settings[provider] ?? {};
  const known = providerOf(name, provider, own);
  if (known.key !== undefined && !hasKey(known.key, own)) {
    throw new ModelUnusable(
      name,
      'needs a key',
      `set ${known.key} in the environment, or "apiKey" for the provider "${provider}"`,
    );
  }
  const model = (await opened(name, known, own))(id);
  const options = { ...known.usual, ...own.options };
  return { name, provider: known.options, model, options, images: known.images(own) };
}

function providerOf(name: string, provider: string, settings: ProviderSettings): Provider {
  const known = knownProviders[provider];
  if (known !== undefined) return known;
  // Any other name is one the user gave to an endpoint that speaks OpenAI's language.
  if (settings.baseURL !== undefined) return openAICompatible(provider, settings.baseURL);
  const names = Object.keys(knownProviders);
  const guess = nearest(provider, names);
  throw new ModelUnusable(
    name,
    `names the provider "${provider}", which is not known${guess === undefined ? '' : ` (did you mean "${guess}"?)`}`,
    `use ${names.join(', ')} or demo, or give "${provider}" a "baseURL" that speaks OpenAI's chat API`,
  );
}

function hasKey(variable: string, { apiKey, headers }: ProviderSettings): boolean {
  return (apiKey ?? process.env[variable] ?? '') !== '' || headers !== undefined;
}

async function opened(name: string, provider: Provider, settings: ProviderSettings): ReturnType<Provider['open']> {
  const loaded = async <Value>(needed: string, load: () => Promise<Value>): Promise<Value> => {
    try {
      return await load();
    } catch (error) {
      if ((error as { code?: unknown } | undefined)?.code !== 'ERR_MODULE_NOT_FOUND') throw error;
      const problem = `needs the package ${needed}, which is not installed`;
      // Both are named: neither brings the other along, and one that is there already stays.
      throw new ModelUnusable(name, problem, `npm install ai ${provider.package}`, error);
    }
  };
  await loaded('ai', () => import('ai'));
  return await loaded(provider.package, () => provider.open(settings));
}
