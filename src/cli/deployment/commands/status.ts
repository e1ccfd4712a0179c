import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { exitStatus } from '../../../model/errors/error-codes';
import { readDeploymentView } from '../../../service/deployment/read-deployment';
import { withSources } from '../../../service/run/run-sources';
import { perform } from '../../terminal/globals';
import { deploymentTable } from '../render/deployment';

/** `portolan deploy status`: worker versions, their workers, and the runs pinned to them. */
export const deployStatusCommand = () =>
  new Command('status')
    .description(
      "List worker versions.\n\nShows each version's (Build ID's) workers, open pinned runs and state.",
    )
    .action((_options, command) =>
      perform(command, async (output, globals) => {
        const view = await withSources(loadConfig(globals.config), readDeploymentView);
        output.show(view, (style) => deploymentTable(view, style));
        return exitStatus.done;
      }),
    );
