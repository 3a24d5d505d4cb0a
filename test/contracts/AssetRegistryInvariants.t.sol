// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IAssetRegistry} from "../../contracts/interfaces/IAssetRegistry.sol";
import {RegistryHandler} from "./RegistryHandler.sol";

/// @title AssetRegistryInvariantsTest
/// @notice What holds after any order of calls, by anybody, right and wrong, direct, signed and batched.
contract AssetRegistryInvariantsTest {
    RegistryHandler private _handler;

    function setUp() public {
        _handler = new RegistryHandler();
    }

    function targetContracts() public view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(_handler);
    }

    /// That only an author changes what leaves an asset, that an id exists once and commits to its content, and
    /// that a signature has one effect: the handler counts every call that went otherwise.
    function invariant_NothingSurprises() public view {
        require(_handler.surprises() == 0, "a call was answered otherwise than the rules say");
    }

    function invariant_StorageIsWhatTheEventsTell() public view {
        (uint256 assets, uint256 links, uint256 cancellations) = _handler.lengths();
        for (uint256 i = 0; i < assets; ++i) _compareAsset(_handler.ids(i));
        for (uint256 i = 0; i < cancellations; ++i) _compareAsset(_handler.cancelledIds(i));
        for (uint256 i = 0; i < links; ++i) _compareLink(_handler.pairs(i, 0), _handler.pairs(i, 1));
        for (uint256 i = 0; i < 8; ++i) {
            for (uint256 j = 0; j < 8; ++j) _compareLink(_handler.ids(i), _handler.ids(j));
        }
    }

    function invariant_NoncesCountUpByOne() public view {
        uint192[5] memory keys = [uint192(0), 1, 100, 101, 102];
        for (uint256 person = 0; person < 4; ++person) {
            address author = _handler.actor(person);
            for (uint256 i = 0; i < keys.length; ++i) {
                require(
                    _handler.REGISTRY().nonces(author, keys[i]) == _handler.nonce(author, keys[i]),
                    "nonce"
                );
            }
        }
    }

    function invariant_GasDoesNotDependOnHistory() public view {
        (uint256 least, uint256 most) = _handler.gasToCreate();
        require(most - least < 500, "creating");
        (least, most) = _handler.gasToLink();
        require(most - least < 500, "linking");
        (least, most) = _handler.gasToRevoke();
        require(most - least < 500, "revoking");
    }

    /// The handler is worth nothing if what it tries never succeeds.
    function test_TheHandlerReachesEverything() public {
        for (uint256 i = 0; i < 400; ++i) {
            uint256[5] memory random;
            for (uint256 j = 0; j < 5; ++j) random[j] = uint256(keccak256(abi.encode(i, j)));
            _handler.create(random[0], random[1], random[2]);
            _handler.cancelCreation(random[0], random[2], random[3]);
            _handler.changeLinks(random[0], random[1], random[2], random[3], random[4]);
            _handler.cancelLinkChange(random[1], random[2], random[3]);
            _handler.replay(random[0], random[1], random[2]);
            _handler.batch(random[0], random[1], random[2], random[3]);
        }
        (
            uint256 created,
            uint256 cancelled,
            uint256 added,
            uint256 revoked,
            uint256 noncesCancelled,
            uint256 signed,
            uint256 batched,
            uint256 refused
        ) = _handler.counts();
        require(created > 100 && cancelled > 10 && added > 100 && revoked > 20, "too little happens");
        require(noncesCancelled > 50 && signed > 20 && batched > 50 && refused > 100, "too little is tried");
        invariant_NothingSurprises();
        invariant_StorageIsWhatTheEventsTell();
        invariant_NoncesCountUpByOne();
    }

    function _compareAsset(bytes32 id) private view {
        RegistryHandler.ToldAsset memory told = _handler.toldAsset(id);
        IAssetRegistry.AssetRecord memory kept = _handler.REGISTRY().assetOf(id);
        require(told.author == kept.author, "author");
        require(told.createdOn == kept.createdOn, "createdOn");
        require(told.cancelledOn == kept.cancelledOn, "cancelledOn");
    }

    function _compareLink(bytes32 parent, bytes32 child) private view {
        RegistryHandler.ToldLink memory told = _handler.toldLink(parent, child);
        IAssetRegistry.LinkRecord memory kept = _handler.REGISTRY().linkOf(parent, child);
        require(told.addedOn == kept.addedOn, "addedOn");
        require(told.revokedOn == kept.revokedOn, "revokedOn");
        require(told.stands == (kept.addedOn != 0 && kept.revokedOn == 0), "stands");
    }
}
