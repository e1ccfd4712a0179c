import { randomUUID } from 'node:crypto';
import type { ComponentChildren } from 'preact';
import type { Right } from '../../../config/file/serve-schema';
import { mayDo, useVisit } from '../visit';
import { Command } from './command';

interface ActionProps {
  /** Where it is sent. */
  readonly to: string;
  readonly button: string;
  /** What can be typed in its place. */
  readonly command: string;
  readonly right: Right;
  /** Route or pipeline that it is done with, where somebody may do it with some of them only. */
  readonly with?: string;
  /** It starts a run: sent twice, it starts one. @default false */
  readonly starts?: boolean;
  /** @default quiet */
  readonly tone?: 'main' | 'danger';
  /** What its button does besides what it says. */
  readonly children?: ComponentChildren;
}

/** A form with one button, and the command that it stands for. Whoever may not do it sees the command alone. */
export const Action = ({
  to,
  button,
  command,
  right,
  with: subject,
  starts = false,
  tone,
  children,
}: ActionProps) => {
  const visit = useVisit();
  const isMine = mayDo(visit, right, subject);
  return (
    <form method="post" action={to} class="action">
      {isMine && (
        <>
          {visit.csrf !== undefined && <input type="hidden" name="_csrf" value={visit.csrf} />}
          {starts && <input type="hidden" name="requestId" value={randomUUID()} />}
          {children}
          <button type="submit" class={tone}>
            {button}
          </button>
        </>
      )}
      <Command text={command} />
      {!isMine && (
        <p class="fine">
          This needs the right to {right}, which {visit.caller?.who ?? 'nobody'} does not have.
        </p>
      )}
    </form>
  );
};

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly isNeeded?: boolean;
  readonly value?: string;
  readonly hint?: string;
}

/** A line of text that a form asks for. */
export const Field = ({ name, label, isNeeded = false, value, hint }: FieldProps) => (
  <label class="field">
    {label}{' '}
    <input
      type="text"
      name={name}
      value={value}
      required={isNeeded}
      maxLength={2_000}
      placeholder={hint}
      autocomplete="off"
      spellcheck={false}
    />
  </label>
);

export const Choice = ({
  name,
  label,
  value = 'yes',
}: {
  readonly name: string;
  readonly label: string;
  readonly value?: string;
}) => (
  <label class="choice">
    <input type="checkbox" name={name} value={value} /> {label}
  </label>
);

export const Select = ({
  name,
  label,
  options,
  chosen,
}: {
  readonly name: string;
  readonly label: string;
  readonly options: readonly (readonly [string, string])[];
  readonly chosen?: string;
}) => (
  <label class="field">
    {label}{' '}
    <select name={name}>
      {options.map(([value, words]) => (
        <option value={value} selected={value === chosen}>
          {words}
        </option>
      ))}
    </select>
  </label>
);

export const Reason = ({ isNeeded = false }: { readonly isNeeded?: boolean }) => (
  <Field name="reason" label={isNeeded ? 'Why' : 'Why (kept in the record)'} isNeeded={isNeeded} />
);
