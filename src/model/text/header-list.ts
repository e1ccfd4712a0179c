/** Names and values of `name=value,name=value`, the form in which OpenTelemetry's variables hold headers. */
export const headersIn = (text: string): (readonly [string, string])[] =>
  text.split(',').flatMap((pair) => {
    const at = pair.indexOf('=');
    return at > 0 ? [[pair.slice(0, at).trim(), decoded(pair.slice(at + 1).trim())] as const] : [];
  });

/** Values are written as in an address; one that is not is taken as it stands. */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

const SECRET_HEADER = /(secret|token|passw|credential|key|auth|cookie)/i;

/** Whether the value of a header is a secret, however short: by its name, it proves who asks. */
export const isSecretHeader = (name: string): boolean => SECRET_HEADER.test(name);
