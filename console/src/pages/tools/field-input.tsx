import { type ReactNode, useId, useState } from 'react';
import { Button, IconButton } from '../../components/button.tsx';
import { type SchemaField, formatChoice, emptyValue, matchesField, isObject, describeType } from './schema-field.ts';

interface FieldInputProps {
  readonly label: string;
  readonly field: SchemaField;
  readonly isRequired: boolean;
  readonly value: unknown;
  /** `undefined` removes the value. */
  readonly onChange: (value: unknown) => void;
}

/** The input for one value. Invalid input is sent as it is, so that the server reports what it expects. */
function FieldInput(props: FieldInputProps): ReactNode {
  const { field } = props;
  if (field.kind === 'object') return <ObjectInput {...props} fields={field.fields} />;
  if (field.kind === 'list') return <ListInput {...props} item={field.item} />;
  if (field.kind === 'variants') return <VariantInput {...props} variants={field.variants} />;
  return <LeafInput {...props} />;
}

/** The fields of an object. */
export function ObjectFields({
  fields,
  value,
  onChange,
}: {
  readonly fields: (SchemaField & { readonly kind: 'object' })['fields'];
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
  ...props
}: FieldInputProps & { readonly fields: (SchemaField & { readonly kind: 'object' })['fields'] }): ReactNode {
  const { isRequired, value, onChange } = props;
  return (
    <Group {...props}>
      <ObjectFields
        fields={fields}
        value={value}
        onChange={(changed) => onChange(!isRequired && Object.keys(changed).length === 0 ? undefined : changed)}
      />
    </Group>
  );
}

function ListInput({ item, ...props }: FieldInputProps & { readonly item: SchemaField }): ReactNode {
  const { label, isRequired, value, onChange } = props;
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  return (
    <Group {...props}>
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

function VariantInput({
  variants,
  ...props
}: FieldInputProps & { readonly variants: readonly SchemaField[] }): ReactNode {
  const { label, value, onChange } = props;
  const [picked, setPicked] = useState<number>();
  const at =
    picked ??
    Math.max(
      0,
      variants.findIndex((each) => matchesField(each, value)),
    );
  const variant = variants[at];
  return (
    <Group {...props}>
      <label className="field">
        <span>Type of {label}</span>
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
              {each.title ?? describeType(each)}
            </option>
          ))}
        </select>
      </label>
      {variant === undefined ? undefined : <FieldInput {...props} field={variant} isRequired />}
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
}: FieldInputProps & { readonly children: ReactNode }): ReactNode {
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

function LeafInput({ label, field, isRequired, value, onChange }: FieldInputProps): ReactNode {
  const id = useId();
  const about = `${id}-about`;
  const inputProps = {
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
          inputProps={inputProps}
          choices={field.kind === 'choice' ? field.choices : [true, false]}
          value={value}
          onChange={onChange}
        />
      ) : (
        <TextControl inputProps={inputProps} field={field} isRequired={isRequired} value={value} onChange={onChange} />
      )}
      {field.description === undefined ? undefined : (
        <p id={about} className="faint field-about">
          {field.description}
        </p>
      )}
    </div>
  );
}

type Control = Pick<FieldInputProps, 'value' | 'onChange'> & {
  readonly inputProps: { readonly id: string; readonly disabled: boolean; readonly 'aria-required': boolean };
};

function ChoiceControl({
  inputProps,
  choices,
  value,
  onChange,
}: Control & { readonly choices: readonly unknown[] }): ReactNode {
  const at = choices.findIndex((each) => JSON.stringify(each) === JSON.stringify(value));
  return (
    <select {...inputProps} value={at} onChange={(event) => onChange(choices[Number(event.target.value)])}>
      <option value={-1}>{value === undefined || value === null ? 'Not set' : formatChoice(value)}</option>
      {choices.map((each, index) => (
        <option key={index} value={index}>
          {formatChoice(each)}
        </option>
      ))}
    </select>
  );
}

function TextControl({
  inputProps,
  field,
  isRequired,
  value,
  onChange,
}: Control & Pick<FieldInputProps, 'field' | 'isRequired'>): ReactNode {
  const [typed, setTyped] = useState('');
  // Keep unfinished input (`1.`, `{ "a"`) as typed while it parses to the current value.
  const shown = isEqual(parseTyped(typed, field, isRequired), value) ? typed : formatTyped(value, field);
  const isInvalid = value !== undefined && value !== null && !matchesField(field, value);
  const change = (now: string): void => {
    setTyped(now);
    onChange(parseTyped(now, field, isRequired));
  };
  const example = field.default === undefined ? undefined : `Default: ${formatChoice(field.default)}`;
  if (field.kind === 'number' || field.kind === 'integer')
    return (
      <input
        {...inputProps}
        inputMode={field.kind === 'integer' ? 'numeric' : 'decimal'}
        placeholder={example}
        aria-invalid={isInvalid}
        value={shown}
        onChange={(event) => change(event.target.value)}
      />
    );
  return (
    <textarea
      {...inputProps}
      rows={1}
      className={field.kind === 'json' ? 'code' : ''}
      placeholder={example ?? (field.kind === 'json' ? 'JSON, or plain text' : undefined)}
      aria-invalid={isInvalid}
      value={shown}
      onChange={(event) => change(event.target.value)}
    />
  );
}

/** Parses typed text; returns it unchanged if it cannot be parsed. */
function parseTyped(typed: string, { kind }: SchemaField, isRequired: boolean): unknown {
  if (kind === 'text') return typed === '' && !isRequired ? undefined : typed;
  if (typed.trim() === '') return undefined;
  if (kind === 'json') return parseJson(typed);
  const value = Number(typed);
  return Number.isFinite(value) ? value : typed;
}

function formatTyped(value: unknown, { kind }: SchemaField): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string' && (kind !== 'json' || parseJson(value) === value)) return value;
  return JSON.stringify(value);
}

function parseJson(typed: string): unknown {
  try {
    return JSON.parse(typed) as unknown;
  } catch {
    return typed;
  }
}

function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function Facts({ field, isRequired }: Pick<FieldInputProps, 'field' | 'isRequired'>): ReactNode {
  const words = [
    ...(field.kind === 'choice' || field.kind === 'variants' ? [] : [describeType(field)]),
    ...field.limits,
  ];
  return (
    <span className="faint">
      {isRequired ? <span className="required">required </span> : undefined}
      {words.join(' · ')}
    </span>
  );
}

function NullSwitch({ label, field, value, onChange }: Omit<FieldInputProps, 'isRequired'>): ReactNode {
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
