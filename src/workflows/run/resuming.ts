import type { Resume, RouteChange } from '../../model/run/run-input';
import { refuse } from './failure';
import type { Run } from './run';

/**
 * Resumes a parked run. Checks the facts again, with the corrections, before anything changes. If they are refused,
 * the caller is told and the run stays parked.
 */
export async function takeUp(run: Run, resume: Resume): Promise<string> {
  const { parked } = run.state;
  if (!parked || !run.kind.takeUp) throw refuse('the run is not parked');
  const { reason, set = {} } = resume;
  run.answers.resuming = true;
  try {
    const { phase, accept } = await run.kind.takeUp(run, { ...resume, set });
    // It may have been cancelled or superseded during the checks.
    if (run.state.parked !== parked) throw refuse('the run is no longer parked');
    accept();
    run.act(resume, `resume${setWords(set)}`, reason);
    run.traces.waitsAnew();
    run.answers.goOnWith = phase;
    return `resumes with ${phase}`;
  } catch (thrown) {
    await run.refuseResume();
    throw thrown;
  } finally {
    run.answers.resuming = false;
  }
}

/** Settings by the names people type. */
const settingNames: Readonly<Record<string, string>> = {
  folderId: 'target.folder',
  folderOwner: 'target.folderOwner',
  jobDeadlineMs: 'jobDeadline',
  freeDiskBytes: 'limits.freeDiskBytes',
};

/** ` with target.folder=…`, for the record. */
function setWords(set: RouteChange): string {
  const words = Object.entries(set).map(([name, value]) => `${settingNames[name] ?? name}=${value ?? ''}`);
  return words.length > 0 ? ` with ${words.join(', ')}` : '';
}
