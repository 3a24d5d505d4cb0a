// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IAssetRegistry} from "../../contracts/interfaces/IAssetRegistry.sol";

/// @title LargeTexts
/// @notice Creates assets with texts that it makes in memory: a hundred bytes of calldata ask for any number.
contract LargeTexts {
    /// @notice Creates an asset whose data has so many bytes, all zero.
    function createAsset(IAssetRegistry registry, bytes32 salt, uint256 bytesOfData) external {
        IAssetRegistry.AssetDetails memory details;
        details.name = "x";
        details.data = new string(bytesOfData);
        registry.createAsset(salt, details);
    }
}
