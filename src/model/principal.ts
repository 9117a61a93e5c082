/** Who is asking. Humans may approve, agents may not. */
export interface Principal {
  readonly id: string;
  readonly kind: 'human' | 'agent' | 'system';
}
