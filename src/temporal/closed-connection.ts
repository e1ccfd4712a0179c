import { InterceptingCall, type Interceptor, Metadata, status } from '@grpc/grpc-js';

type SentCall = ReturnType<Parameters<Interceptor>[1]>;

/**
 * Ends what is called over a closed connection as cancelled. The SDK tries a failed call again after a while, from a
 * timer: where the connection was closed meanwhile, gRPC throws there, which would end the process.
 */
export const endsWhenClosed: Interceptor = (options, nextCall) => {
  let call: SentCall;
  try {
    call = nextCall(options);
  } catch {
    call = cancelledCall;
  }
  return new InterceptingCall(call);
};

const ignore = (): void => undefined;

/** A call that nobody sends. */
const cancelledCall: SentCall = {
  start(_metadata, listener) {
    listener?.onReceiveMessage?.(null);
    listener?.onReceiveStatus?.({
      code: status.CANCELLED,
      details: 'The connection was closed before the call was answered',
      metadata: new Metadata(),
    });
  },
  sendMessageWithContext: ignore,
  sendMessage: ignore,
  halfClose: ignore,
  startRead: ignore,
  cancelWithStatus: ignore,
  getPeer: () => '',
  getAuthContext: () => null,
};
