import { isGrpcServiceError, ServiceError } from '@temporalio/client';
import { PortolanError } from '../model/errors/errors';

/** Status codes of gRPC that are told apart here. */
const grpcStatus = { invalidArgument: 3, notFound: 5, permissionDenied: 7, unauthenticated: 16 } as const;

function grpcCauseOf(thrown: unknown): { code: number; details: string } | undefined {
  const cause = thrown instanceof ServiceError ? thrown.cause : thrown;
  return isGrpcServiceError(cause) ? { code: cause.code, details: cause.details } : undefined;
}

/** Whether the server refused a query, as it does while it does not know our search attributes. */
export const isRefusedQuery = (thrown: unknown): boolean =>
  grpcCauseOf(thrown)?.code === grpcStatus.invalidArgument;

/** An error of the line to Temporal in our own words; anything else as it is. */
export function fromTemporal(thrown: unknown, address: string, namespace: string): unknown {
  const cause = grpcCauseOf(thrown);
  if (cause === undefined) return thrown;
  switch (cause.code) {
    case grpcStatus.notFound:
      return new PortolanError('TEMPORAL_UNREACHABLE', `Temporal at ${address} says: ${cause.details}`, {
        hint: `Check temporal.namespace ("${namespace}") in portolan.yaml.`,
      });
    case grpcStatus.permissionDenied:
    case grpcStatus.unauthenticated:
      return new PortolanError(
        'TEMPORAL_UNREACHABLE',
        `Temporal at ${address} refuses us: ${cause.details}`,
        {
          hint: 'Check TEMPORAL_API_KEY and the TEMPORAL_TLS_… variables.',
        },
      );
    default:
      return new PortolanError(
        'TEMPORAL_UNREACHABLE',
        `Temporal at ${address} does not answer: ${cause.details}`,
      );
  }
}
