import type { Connection } from '@temporalio/client';

/** Host names of Temporal Cloud: of a namespace, and of a region. */
const CLOUD_HOST = /\.(?:tmprl\.cloud|api\.temporal\.io)$/;

/** Whether this is a namespace of Temporal Cloud, also where it is reached by another name than its certificate has. */
export function isAtCloud({ options }: Pick<Connection, 'options'>): boolean {
  const name = options.channelArgs?.['grpc.ssl_target_name_override'];
  return [options.address.replace(/:\d+$/, ''), String(name ?? '')].some((host) => CLOUD_HOST.test(host));
}

/** How to register missing search attributes if this account is not allowed to. */
export function registeringWords(
  connection: Pick<Connection, 'options'>,
  namespace: string,
  missing: readonly string[],
): string {
  if (!isAtCloud(connection))
    return `Ask an operator to run: temporal operator search-attribute create --namespace ${namespace} ${missing
      .map((name) => `--type Keyword --name ${name}`)
      .join(' ')}`;
  return `Ask an administrator of the namespace to run: tcld namespace search-attributes add --namespace ${namespace} ${missing
    .map((name) => `--search-attribute ${name}=Keyword`)
    .join(' ')}`;
}

/** How to set a retention of thirty days. */
export const retentionWords = (connection: Pick<Connection, 'options'>, namespace: string): string =>
  isAtCloud(connection)
    ? `Ask an administrator of the namespace to run: tcld namespace retention set --namespace ${namespace} --retention-days 30`
    : `Ask an operator to run: temporal operator namespace update --namespace ${namespace} --retention 30d`;
