export class GatewayError extends Error {
  static isInstance() {
    return false;
  }
}
export class GatewayAuthenticationError extends GatewayError {}
export const gateway = undefined;
export const createGateway = undefined;
