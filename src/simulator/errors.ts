/** A portal's error response (docs/reference/portal-interface.md, "Errors"): HTTP 200 unless stated otherwise. */
export class PortalFault extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly more: {
      messageCode?: string;
      details?: readonly string[];
      httpStatus?: number;
      subcode?: number;
      /** OAuth 2.0 error name, which the token service adds to the code. */
      oauth?: string;
    } = {},
  ) {
    super(message);
  }

  get body(): object {
    const { messageCode, details = [], subcode, oauth } = this.more;
    return {
      error: {
        code: this.code,
        ...(messageCode && { messageCode }),
        ...(subcode !== undefined && { subcode }),
        ...(oauth !== undefined && { error: oauth, error_description: this.message }),
        message: this.message,
        details,
      },
    };
  }
}

export const noResource = (): PortalFault =>
  new PortalFault(404, 'Resource does not exist or is inaccessible.');

export const noItem = (): PortalFault =>
  new PortalFault(400, 'Item does not exist or is inaccessible.', { messageCode: 'CONT_0001' });

export const noGroup = (): PortalFault =>
  new PortalFault(400, 'Group does not exist or is inaccessible.', { messageCode: 'COM_0003' });

export const noUser = (): PortalFault =>
  new PortalFault(400, 'User does not exist or is inaccessible.', { messageCode: 'COM_0018' });

export const noFolder = (): PortalFault => new PortalFault(400, 'Folder does not exist or is inaccessible.');

export const denied = (): PortalFault =>
  new PortalFault(403, 'You do not have permissions to access this resource or perform this operation.');

export const httpsRequired = (): PortalFault => new PortalFault(403, 'HTTPS is required.', { subcode: 4 });

export const tokenInvalid = (): PortalFault => new PortalFault(498, 'Invalid token.');

export const tokenRequired = (): PortalFault =>
  new PortalFault(499, 'Token Required', { messageCode: 'GWM_0003', details: ['Token Required'] });

/** The operating system's message, because that of portals is unknown. */
export const diskFull = (): PortalFault => new PortalFault(500, 'No space left on device');

export const missing = (name: string): PortalFault => new PortalFault(400, `'${name}' property required.`);

/** An error of the token service. */
export const oauthRefused = (message: string, oauth = 'invalid_request', code = 400): PortalFault =>
  new PortalFault(code, message, { oauth });

export const badRequest = (message: string, ...details: string[]): PortalFault =>
  new PortalFault(400, message, { details });
