// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Vm
/// @notice The cheat codes of the test runner that these tests use.
interface Vm {
    /// @notice An event as the runner records it.
    struct Log {
        bytes32[] topics;
        bytes data;
        address emitter;
    }

    /// @notice Makes the next call come from another address.
    /// @param sender That address.
    function prank(address sender) external;

    /// @notice Sets the block's time.
    /// @param time Seconds since 1970.
    function warp(uint256 time) external;

    /// @notice Sets the chain's id.
    /// @param id That id.
    function chainId(uint256 id) external;

    /// @notice The address of a key.
    /// @param key A private key.
    /// @return That address.
    function addr(uint256 key) external pure returns (address);

    /// @notice Signs with a key.
    /// @param key A private key.
    /// @param digest What to sign.
    /// @return v Which of the two points.
    /// @return r Its coordinate.
    /// @return s The proof, in the lower half.
    function sign(uint256 key, bytes32 digest) external pure returns (uint8 v, bytes32 r, bytes32 s);

    /// @notice Demands that the next call reverts with this data.
    /// @param data The error with its arguments.
    function expectRevert(bytes calldata data) external;

    /// @notice Begins to record events.
    function recordLogs() external;

    /// @notice Hands over the events since the last call.
    /// @return The events.
    function getRecordedLogs() external returns (Log[] memory);
}

Vm constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));
