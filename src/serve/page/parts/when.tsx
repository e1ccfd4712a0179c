import { durationWords, secondWords } from '../../../model/text/words';
import { useVisit } from '../visit';
import { Words } from './words';

/** Units of relative times. page.js has the same ones to update them. */
const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
] as const;

/** `just now`, `20 min ago`, `in 3 h`. @param ms since then; negative is in the future */
export function relativeWords(ms: number): string {
  const away = Math.abs(ms);
  const [unit, size] = units.find(([, each]) => away >= each) ?? [];
  if (unit === undefined || size === undefined) return ms < 0 ? 'in a moment' : 'just now';
  const words = `${Math.floor(away / size)} ${unit}`;
  return ms < 0 ? `in ${words}` : `${words} ago`;
}

/** A relative time with the exact one as tooltip. @param at ISO 8601, or milliseconds since the epoch */
export const When = ({ at }: { readonly at: string | number }) => {
  const { now } = useVisit();
  const time = new Date(at).getTime();
  // Times in a record are not validated.
  if (Number.isNaN(time)) return <Words text={String(at)} most={40} />;
  return (
    <time datetime={new Date(time).toISOString()} title={secondWords(time)}>
      {relativeWords(now - time)}
    </time>
  );
};

/** A duration; page.js updates one that is still growing. */
export const Took = ({ from, to }: { readonly from: string; readonly to?: string }) => {
  const { now } = useVisit();
  const took = (to === undefined ? now : Date.parse(to)) - Date.parse(from);
  if (Number.isNaN(took)) return <>?</>;
  return to === undefined ? <span data-since={from}>{durationWords(took)}</span> : <>{durationWords(took)}</>;
};
