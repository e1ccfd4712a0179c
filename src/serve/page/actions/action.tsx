import { randomUUID } from 'node:crypto';
import type { ComponentChildren } from 'preact';
import { contract } from '../../../contract/contract';
import type { Operation } from '../../../contract/operation';
import type { Right } from '../../../model/rights';
import { shortRunId } from '../../../model/run/run-id';
import { shellWord } from '../../../model/text/words';
import { Command } from '../parts/command';
import { mayDo, type Subject, useVisit } from '../visit';
import { type ActionId, actions, type Field, type PageAction } from './table';

type Choices = readonly (readonly [string, string])[];

interface ActionProps {
  readonly of: ActionId;
  /** What the page knows: names in the path, hidden fields, and first values of fields. */
  readonly known?: Readonly<Record<string, string | undefined>>;
  /** What it changes, for callers whose rights cover some routes and pipelines only. */
  readonly with?: Subject;
  /** Choices of its selects. */
  readonly choices?: Readonly<Record<string, Choices>>;
  /** Labels in place of those of the table. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Fields that make no sense here. */
  readonly without?: readonly string[];
  /** @default that of the table */
  readonly button?: string;
  readonly children?: ComponentChildren;
}

/** A form with one button and the command that does the same. Visitors without the right see only the command. */
export const Action = ({
  of,
  known = {},
  with: subject,
  choices = {},
  labels = {},
  without = [],
  button,
  children,
}: ActionProps) => {
  const visit = useVisit();
  const action: PageAction = actions[of];
  const { right, starts }: Operation = contract[action.operation];
  const to = action.at.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(known[name] ?? ''));
  const hidden = (action.hidden ?? []).map((name) => [name, known[name] ?? ''] as const);
  const { typed } = visit;
  // Forms of one page that are sent to the same place differ in what is hidden.
  const isTyped = typed?.to === to && hidden.every(([name, value]) => typed.fields[name] === value);
  const valueOf = (name: string): string | undefined =>
    (isTyped ? wordsOf(typed.fields[name]) : undefined) ?? known[name];
  const isMissing = (each?: Right) => each !== undefined && !mayDo(visit, each, subject);
  const fields = Object.entries(action.fields).filter(
    ([name, field]) => !without.includes(name) && !isMissing(field.right),
  );
  const missing = [right, action.also].find(isMissing);
  const base = action.command.replace(/:(\w+)/g, (_, name: string) =>
    shellWord(name === 'run' ? shortRunId(known[name] ?? '') : (known[name] ?? name.toUpperCase())),
  );
  return (
    <form method="post" action={to} class="action" data-command={base}>
      {missing === undefined && (
        <>
          {visit.csrf !== undefined && <input type="hidden" name="_csrf" value={visit.csrf} />}
          {starts && (
            // The same ID as before if the outcome is unknown, so that the run is not started twice.
            <input type="hidden" name="requestId" value={valueOf('requestId') ?? randomUUID()} />
          )}
          {hidden.map(([name, value]) => (
            <input type="hidden" name={name} value={value} />
          ))}
          {children}
          {fields.map(([name, field]) => (
            <FieldInput
              {...{ name, field, label: labels[name] ?? field.label, value: valueOf(name) }}
              choices={choices[name] ?? []}
            />
          ))}
          <button type="submit" class={action.tone}>
            {button ?? action.button}
          </button>
        </>
      )}
      <Command
        text={[
          base,
          ...fields.flatMap(([name, field]) => optionWords(field, valueOf(name) ?? choices[name]?.[0]?.[0])),
        ].join(' ')}
      />
      {missing !== undefined &&
        (visit.caller?.rights.includes(missing) ? (
          <p class="fine">
            Your <em>{missing}</em> right does not cover this.
          </p>
        ) : (
          <p class="fine">
            You need the <em>{missing}</em> right.
          </p>
        ))}
    </form>
  );
};

/** A field as part of the command. The page's script does the same while somebody types. */
function optionWords({ kind, option, isNeeded }: Field, value: string | undefined): string[] {
  if (option === undefined) return [];
  if (kind === 'tick') return value === 'yes' ? [option] : [];
  const text = value?.trim() ?? '';
  if (text === '') return isNeeded ? [`${option} "..."`] : [];
  const values = kind === 'words' ? text.split(/\s+/) : [text];
  return values.flatMap((each) => [option, shellWord(each)].filter((word) => word !== ''));
}

/** The value that a field was sent with, unless it was missing or sent twice. */
const wordsOf = (given: unknown): string | undefined =>
  typeof given === 'string' ? given.slice(0, FIELD_MAX) : undefined;

/** @format characters */
export const FIELD_MAX = 2_000;

interface FieldInputProps {
  readonly name: string;
  readonly field: Field;
  readonly label: string;
  readonly value?: string;
  readonly choices: Choices;
}

const FieldInput = ({ name, field, label, value, choices }: FieldInputProps) => {
  const { kind, option, isNeeded = false, hint } = field;
  const marks = { name, 'data-option': option, 'data-kind': kind };
  if (kind === 'tick')
    return (
      <label class="choice">
        <input {...marks} type="checkbox" value="yes" checked={value === 'yes'} /> {label}
      </label>
    );
  return (
    <label class="field">
      {label}{' '}
      {kind === 'select' ? (
        <select {...marks}>
          {choices.map(([each, words]) => (
            <option value={each} selected={each === value}>
              {words}
            </option>
          ))}
        </select>
      ) : (
        <input
          {...marks}
          type="text"
          value={value}
          required={isNeeded}
          maxLength={FIELD_MAX}
          placeholder={hint}
          autocomplete="off"
          spellcheck={false}
        />
      )}
    </label>
  );
};
