import { type ReactNode, useId, useState } from 'react';
import { Button, IconButton } from '../../parts/button.tsx';
import { type Field, choiceWords, emptyValue, fits, isObject, typeWords } from './field.ts';

interface Asked {
  readonly label: string;
  readonly field: Field;
  readonly isRequired: boolean;
  readonly value: unknown;
  /** `undefined` takes the value away. */
  readonly onChange: (value: unknown) => void;
}

/** Asks for one value. What was typed and does not fit is kept as it is: the server says what it expects there. */
function FieldInput(asked: Asked): ReactNode {
  const { field } = asked;
  if (field.kind === 'object') return <ObjectInput {...asked} fields={field.fields} />;
  if (field.kind === 'list') return <ListInput {...asked} item={field.item} />;
  if (field.kind === 'variants') return <VariantInput {...asked} variants={field.variants} />;
  return <LeafInput {...asked} />;
}

/** The fields of an object, one below the other. */
export function ObjectFields({
  fields,
  value,
  onChange,
}: {
  readonly fields: (Field & { readonly kind: 'object' })['fields'];
  readonly value: unknown;
  readonly onChange: (value: Readonly<Record<string, unknown>>) => void;
}): ReactNode {
  const now = isObject(value) ? value : {};
  return fields.map(({ name, isRequired, field }) => (
    <FieldInput
      key={name}
      label={name}
      field={field}
      isRequired={isRequired}
      value={Object.hasOwn(now, name) ? now[name] : undefined}
      onChange={(changed) => {
        if (changed !== undefined) onChange({ ...now, [name]: changed });
        else onChange(Object.fromEntries(Object.entries(now).filter(([each]) => each !== name)));
      }}
    />
  ));
}

function ObjectInput({
  fields,
  ...asked
}: Asked & { readonly fields: (Field & { readonly kind: 'object' })['fields'] }): ReactNode {
  const { isRequired, value, onChange } = asked;
  return (
    <Group {...asked}>
      <ObjectFields
        fields={fields}
        value={value}
        onChange={(changed) => onChange(!isRequired && Object.keys(changed).length === 0 ? undefined : changed)}
      />
    </Group>
  );
}

function ListInput({ item, ...asked }: Asked & { readonly item: Field }): ReactNode {
  const { label, isRequired, value, onChange } = asked;
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  return (
    <Group {...asked}>
      {items.map((each, index) => (
        <div key={index} className="list-item">
          <FieldInput
            label={`${label} ${index + 1}`}
            field={item}
            isRequired
            value={each}
            onChange={(changed) => onChange(items.with(index, changed ?? null))}
          />
          <IconButton
            icon="trash"
            label={`Remove ${label} ${index + 1}`}
            onClick={() => {
              const left = items.toSpliced(index, 1);
              onChange(!isRequired && left.length === 0 ? undefined : left);
            }}
          />
        </div>
      ))}
      <Button icon="plus" onClick={() => onChange([...items, emptyValue(item)])}>
        Add to {label}
      </Button>
    </Group>
  );
}

function VariantInput({ variants, ...asked }: Asked & { readonly variants: readonly Field[] }): ReactNode {
  const { label, value, onChange } = asked;
  const [picked, setPicked] = useState<number>();
  const at =
    picked ??
    Math.max(
      0,
      variants.findIndex((each) => fits(each, value)),
    );
  const variant = variants[at];
  return (
    <Group {...asked}>
      <label className="field">
        <span>Kind of {label}</span>
        <select
          value={at}
          onChange={(event) => {
            const next = Number(event.target.value);
            setPicked(next);
            onChange(variants[next] === undefined ? undefined : emptyValue(variants[next]));
          }}
        >
          {variants.map((each, index) => (
            <option key={index} value={index}>
              {each.title ?? typeWords(each)}
            </option>
          ))}
        </select>
      </label>
      {variant === undefined ? undefined : <FieldInput {...asked} field={variant} isRequired />}
    </Group>
  );
}

function Group({
  label,
  field,
  isRequired,
  value,
  onChange,
  children,
}: Asked & { readonly children: ReactNode }): ReactNode {
  return (
    <fieldset className="field-group">
      <legend>
        {label} <Facts field={field} isRequired={isRequired} />
      </legend>
      {field.description === undefined ? undefined : <p className="faint field-about">{field.description}</p>}
      <NullSwitch label={label} field={field} value={value} onChange={onChange} />
      {value === null && field.isNullable ? undefined : children}
    </fieldset>
  );
}

function LeafInput({ label, field, isRequired, value, onChange }: Asked): ReactNode {
  const id = useId();
  const about = `${id}-about`;
  const given = {
    id,
    ...(field.description === undefined ? {} : { 'aria-describedby': about }),
    'aria-required': isRequired,
    disabled: value === null && field.isNullable,
  };
  return (
    <div className="field form-field">
      <div className="field-head">
        <label htmlFor={id}>{label}</label>
        <Facts field={field} isRequired={isRequired} />
        <NullSwitch label={label} field={field} value={value} onChange={onChange} />
      </div>
      {field.kind === 'choice' || field.kind === 'boolean' ? (
        <ChoiceControl
          given={given}
          choices={field.kind === 'choice' ? field.choices : [true, false]}
          value={value}
          onChange={onChange}
        />
      ) : (
        <TextControl given={given} field={field} isRequired={isRequired} value={value} onChange={onChange} />
      )}
      {field.description === undefined ? undefined : (
        <p id={about} className="faint field-about">
          {field.description}
        </p>
      )}
    </div>
  );
}

type Control = Pick<Asked, 'value' | 'onChange'> & {
  readonly given: { readonly id: string; readonly disabled: boolean; readonly 'aria-required': boolean };
};

function ChoiceControl({
  given,
  choices,
  value,
  onChange,
}: Control & { readonly choices: readonly unknown[] }): ReactNode {
  const at = choices.findIndex((each) => JSON.stringify(each) === JSON.stringify(value));
  return (
    <select {...given} value={at} onChange={(event) => onChange(choices[Number(event.target.value)])}>
      <option value={-1}>{value === undefined || value === null ? 'Not set' : choiceWords(value)}</option>
      {choices.map((each, index) => (
        <option key={index} value={index}>
          {choiceWords(each)}
        </option>
      ))}
    </select>
  );
}

function TextControl({
  given,
  field,
  isRequired,
  value,
  onChange,
}: Control & Pick<Asked, 'field' | 'isRequired'>): ReactNode {
  const [typed, setTyped] = useState('');
  // What is being typed stays as it is (`1.`, `{ "a"`), as long as it means what the value is.
  const shown = same(read(typed, field, isRequired), value) ? typed : written(value, field);
  const isWrong = value !== undefined && value !== null && !fits(field, value);
  const change = (now: string): void => {
    setTyped(now);
    onChange(read(now, field, isRequired));
  };
  const example = field.default === undefined ? undefined : `Default: ${choiceWords(field.default)}`;
  if (field.kind === 'number' || field.kind === 'integer')
    return (
      <input
        {...given}
        inputMode={field.kind === 'integer' ? 'numeric' : 'decimal'}
        placeholder={example}
        aria-invalid={isWrong}
        value={shown}
        onChange={(event) => change(event.target.value)}
      />
    );
  return (
    <textarea
      {...given}
      rows={1}
      className={field.kind === 'json' ? 'code' : ''}
      placeholder={example ?? (field.kind === 'json' ? 'JSON, or plain text' : undefined)}
      aria-invalid={isWrong}
      value={shown}
      onChange={(event) => change(event.target.value)}
    />
  );
}

/** What was typed, as a value; as text where it cannot be read. */
function read(typed: string, { kind }: Field, isRequired: boolean): unknown {
  if (kind === 'text') return typed === '' && !isRequired ? undefined : typed;
  if (typed.trim() === '') return undefined;
  if (kind === 'json') return parsed(typed);
  const value = Number(typed);
  return Number.isFinite(value) ? value : typed;
}

function written(value: unknown, { kind }: Field): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string' && (kind !== 'json' || parsed(value) === value)) return value;
  return JSON.stringify(value);
}

function parsed(typed: string): unknown {
  try {
    return JSON.parse(typed) as unknown;
  } catch {
    return typed;
  }
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function Facts({ field, isRequired }: Pick<Asked, 'field' | 'isRequired'>): ReactNode {
  const words = [...(field.kind === 'choice' || field.kind === 'variants' ? [] : [typeWords(field)]), ...field.limits];
  return (
    <span className="faint">
      {isRequired ? <span className="required">required </span> : undefined}
      {words.join(' · ')}
    </span>
  );
}

function NullSwitch({ label, field, value, onChange }: Omit<Asked, 'isRequired'>): ReactNode {
  if (!field.isNullable) return undefined;
  return (
    <label className="null-switch faint">
      <input
        type="checkbox"
        aria-label={`${label} is null`}
        checked={value === null}
        onChange={(event) => onChange(event.target.checked ? null : undefined)}
      />
      null
    </label>
  );
}
