// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Address} from "@openzeppelin/contracts/utils/Address.sol";

/// @title Relay
/// @notice Passes calls on, so that the registry sees a contract as its caller and a person as the origin.
contract Relay {
    /// @notice Calls a target and fails as the target fails.
    /// @param target The contract to call.
    /// @param data The call.
    /// @return What the target returned.
    function pass(address target, bytes calldata data) external returns (bytes memory) {
        return Address.functionCall(target, data);
    }
}
